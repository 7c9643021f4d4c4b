# SPDX-License-Identifier: MIT
"""The wheel: what CMake builds, packed. One for Python 3.11 and every later version (abi3)."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def version():
    """It is written once, in base.h."""
    text = (ROOT / 'include' / 'sudar' / 'base.h').read_text(encoding='utf-8')
    return '.'.join(re.search(rf'SD_VERSION_{part} (\d+)', text)[1] for part in ('MAJOR', 'MINOR', 'PATCH'))


class BuildWithCMake(build_ext):
    def build_extension(self, extension):
        # a folder that has been set up already, or one of its own
        given = os.environ.get('SUDAR_BUILD')
        build = pathlib.Path(given or ROOT / 'build' / 'python').resolve()
        if given is None:
            subprocess.run(['cmake', '-S', ROOT, '-B', build, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release', '-DSUDAR_PYTHON=ON',
                            '-DSUDAR_TESTS=OFF', '-DSUDAR_EXAMPLES=OFF', '-DSUDAR_CLI=OFF', '-DSUDAR_RENDER=OFF',
                            f'-DPython3_EXECUTABLE={sys.executable}'], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(['cmake', '--build', build, '--target', 'sudar_python'], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve().parent
        target.mkdir(parents=True, exist_ok=True)
        for name in ('_core.abi3.so', '_core.pyi'):
            shutil.copy(build / 'python' / 'sudar' / name, target)


setup(version=version(), ext_modules=[Extension('sudar._core', [], py_limited_api=True)],
      cmdclass={'build_ext': BuildWithCMake}, options={'bdist_wheel': {'py_limited_api': 'cp311'}})
