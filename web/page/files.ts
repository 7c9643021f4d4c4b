// SPDX-License-Identifier: MIT
// files.ts - what the page hands to its user: tables and films.

const FRAMES_PER_SECOND = 30;
const BITS_PER_SECOND = 8e6;
const TYPES = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'];

export function save(name: string, content: Blob): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A film of what is drawn, saved when it is stopped. */
export class Recorder {
    private recorder: MediaRecorder | null = null;

    /** `hear` is told the bytes so far; `fail`, in words, why there is no film. */
    constructor(private readonly hear: (bytes: number) => void, private readonly fail: (text: string) => void) {}

    get isOn(): boolean {
        return this.recorder !== null;
    }

    start(canvas: HTMLCanvasElement, name: string): void {
        const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
        if (mimeType === undefined) {
            throw new Error('this browser records no video');
        }
        const parts: Blob[] = [];
        const recorder = new MediaRecorder(canvas.captureStream(FRAMES_PER_SECOND), { mimeType, videoBitsPerSecond: BITS_PER_SECOND });
        let size = 0;
        recorder.ondataavailable = ({ data }) => {
            parts.push(data);
            size += data.size;
            this.hear(size);
        };
        recorder.onstop = () => {
            if (size === 0) {
                this.fail('nothing was recorded: no picture was drawn in that time; record for longer');
                return;
            }
            save(`${name}.${mimeType.includes('mp4') ? 'mp4' : 'webm'}`, new Blob(parts, { type: mimeType }));
        };
        this.hear(size);
        recorder.start(500);
        this.recorder = recorder;
    }

    stop(): void {
        this.recorder?.stop();
        this.recorder?.stream.getTracks().forEach((track) => track.stop());
        this.recorder = null;
    }
}
