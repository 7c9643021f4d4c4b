// SPDX-License-Identifier: MIT
// completion.c - `sudar completion bash|zsh|fish`: what makes a shell finish words.
//
// In:   the name of a shell.
// Out:  a script on stdout. It asks `sudar` itself for the words, so the tables of commands,
//       options, scenes, experiments, settings and views are the only ones there are.

#include "lab.h"
#include "picture.h"
#include "scenefile.h"
#include "scenes.h"

#include <string.h>

static const char* const bashScript =
    "# sudar: completion for bash; source this, or put it where bash-completion looks\n"
    "_sudar() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local command=${COMP_WORDS[1]} values words=\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        words=$(sudar completion words commands | cut -f1)\n"
    "        COMPREPLY=($(compgen -W \"$words --help --version\" -- \"$cur\"))\n"
    "        return\n"
    "    fi\n"
    "    if [ \"$command\" = help ]; then\n"
    "        words=\"$(sudar completion words commands | cut -f1) settings views\"\n"
    "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
    "        return\n"
    "    fi\n"
    "    values=$(sudar completion words \"$command\" | awk -F'\\t' -v o=\"$prev\" '$1 == o "
    "{ print $2 }')\n"
    "    case $values in\n"
    "        FILE) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
    "        DIR) COMPREPLY=($(compgen -d -- \"$cur\")) ;;\n"
    "        NAMES)\n"
    "            # after the last comma\n"
    "            local before=\n"
    "            case $cur in *,*) before=${cur%,*}, ;; +*) before=+ ;; esac\n"
    "            words=$(sudar completion words views)\n"
    "            COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${cur#\"$before\"}\")) ;;\n"
    "        KEY=VALUE)\n"
    "            compopt -o nospace 2>/dev/null\n"
    "            COMPREPLY=($(compgen -S = -W \"$(sudar completion words settings)\" -- \"$cur\")) "
    ";;\n"
    "        *'|'*) COMPREPLY=($(compgen -W \"${values//|/ }\" -- \"$cur\")) ;;\n"
    "        '')\n"
    "            case $cur in\n"
    "                -*) words=$(sudar completion words \"$command\" | cut -f1) ;;\n"
    "                *) case $command in run|render|sweep|view) words=$(sudar completion words "
    "scenes) "
    ";;\n"
    "                       lab) words=$(sudar completion words experiments) ;; esac ;;\n"
    "            esac\n"
    "            COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
    "            case $cur in -*) ;; *) COMPREPLY+=($(compgen -f -- \"$cur\")) ;; esac ;;\n"
    "    esac\n"
    "}\n"
    "complete -o filenames -F _sudar sudar\n";

static const char* const zshScript =
    "#compdef sudar\n"
    "# sudar: completion for zsh; put it as _sudar into a folder of $fpath\n"
    "_sudar() {\n"
    "    local values; local -a lines\n"
    "    if (( CURRENT == 2 )); then\n"
    "        lines=(${(f)\"$(sudar completion words commands)\"})\n"
    "        _describe command \"(${(qq)lines//$'\\t'/:})\" 2>/dev/null ||\n"
    "            compadd -- ${lines%%$'\\t'*}\n"
    "        return\n"
    "    fi\n"
    "    if [[ $words[2] == help ]]; then\n"
    "        lines=(${(f)\"$(sudar completion words commands)\"})\n"
    "        compadd -- ${lines%%$'\\t'*} settings views\n"
    "        return\n"
    "    fi\n"
    "    values=$(sudar completion words $words[2] | awk -F'\\t' -v o=\"$words[CURRENT-1]\" '$1 == "
    "o "
    "{ print $2 }')\n"
    "    case $values in\n"
    "        FILE) _files ;;\n"
    "        DIR) _files -/ ;;\n"
    "        NAMES) _values -s , view ${(f)\"$(sudar completion words views)\"} ;;\n"
    "        KEY=VALUE) compadd -S = -- ${(f)\"$(sudar completion words settings)\"} ;;\n"
    "        *'|'*) compadd -- ${(s:|:)values} ;;\n"
    "        '')\n"
    "            if [[ $words[CURRENT] == -* ]]; then\n"
    "                lines=(${(f)\"$(sudar completion words $words[2])\"})\n"
    "                compadd -- ${lines%%$'\\t'*}\n"
    "            else\n"
    "                [[ $words[2] == (run|render|sweep|view) ]] &&\n"
    "                    compadd -- ${(f)\"$(sudar completion words scenes)\"}\n"
    "                [[ $words[2] == lab ]] &&\n"
    "                    compadd -- ${(f)\"$(sudar completion words experiments)\"}\n"
    "                _files\n"
    "            fi ;;\n"
    "    esac\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _sudar ]; then _sudar; else compdef _sudar sudar; fi\n";

static const char* const fishScript =
    "# sudar: completion for fish; put it as sudar.fish into ~/.config/fish/completions\n"
    "function __sudar_words\n"
    "    set -l words (commandline -opc)\n"
    "    set -l previous $words[-1]\n"
    "    if test \"$words[2]\" = help\n"
    "        sudar completion words commands\n"
    "        printf 'settings\\nviews\\n'\n"
    "        return\n"
    "    end\n"
    "    set -l values (sudar completion words $words[2] | string match -r -- \"^$previous\\t.*\" "
    "| "
    "string split -f 2 \\t)\n"
    "    switch \"$values\"\n"
    "        case FILE\n"
    "            __fish_complete_path\n"
    "        case DIR\n"
    "            __fish_complete_directories\n"
    "        case NAMES\n"
    "            sudar completion words views\n"
    "        case 'KEY=VALUE'\n"
    "            sudar completion words settings | string replace -r '$' =\n"
    "        case '*|*'\n"
    "            string split '|' -- $values\n"
    "        case ''\n"
    "            sudar completion words $words[2] | string replace -r '\\t.*\\t' \\t\n"
    "            if contains -- $words[2] run render sweep view\n"
    "                sudar completion words scenes\n"
    "            end\n"
    "            if test \"$words[2]\" = lab\n"
    "                sudar completion words experiments\n"
    "            end\n"
    "            __fish_complete_path\n"
    "    end\n"
    "end\n"
    "complete -c sudar -f\n"
    "complete -c sudar -n __fish_use_subcommand -a '(sudar completion words commands)'\n"
    "complete -c sudar -n 'not __fish_use_subcommand' -a '(__sudar_words)'\n";

static CliExit printWords(const char* kind) {
    const char* word;
    if (strcmp(kind, "commands") == 0) {
        const CliCommand* command;
        for (int i = 0; (command = Cli_GetCommand(i)) != NULL; ++i) {
            printf("%s\t%s\n", command->name, command->summary);
        }
        printf("help\tof a command\n");
        return CLI_OK;
    }
    if (strcmp(kind, "scenes") == 0) {
        for (int i = 0; i < sdScene_GetCount(); ++i) {
            printf("%s\n", sdScene_Get(i)->name);
        }
        return CLI_OK;
    }
    if (strcmp(kind, "experiments") == 0) {
        for (int i = 0; i < LabExperiment_GetCount(); ++i) {
            printf("%s\n", LabExperiment_Get(i)->name);
        }
        return CLI_OK;
    }
    if (strcmp(kind, "views") == 0) {
        for (int i = 0; (word = sdDrawView_Name(i)) != NULL; ++i) {
            printf("%s\n", word);
        }
        return CLI_OK;
    }
    if (strcmp(kind, "settings") == 0) {
        const sdWorldDef def = sdWorldDef_Default();
        sdSetting setting;
        for (int i = 0; sdSetting_Get(&def, i, &setting); ++i) {
            printf("%s\n", setting.key);
        }
        return CLI_OK;
    }
    // the options of a command
    const CliCommand* command;
    for (int i = 0; (command = Cli_GetCommand(i)) != NULL; ++i) {
        if (strcmp(command->name, kind) == 0) {
            char name[32], option[] = CLI_LIST_OPTIONS;
            snprintf(name, sizeof name, "%s", kind);
            char* words[] = {name, option, NULL};
            return command->run(2, words);
        }
    }
    return CLI_OK;
}

CliExit Cli_Completion(int argc, char** argv) {
    // what the scripts ask
    if (argc == 3 && strcmp(argv[1], "words") == 0) {
        return printWords(argv[2]);
    }
    const CliSyntax syntax = {
        .command = "completion",
        .argument = "SHELL",
        .summary = "Print what makes a shell finish words: bash, zsh or fish.",
        .notes = "for example:\n  source <(sudar completion bash)\n"
                 "  sudar completion zsh >~/.zfunc/_sudar\n"
                 "  sudar completion fish >~/.config/fish/completions/sudar.fish",
    };
    const char* shell;
    CliExit code;
    if (!Cli_Parse(&syntax, argc, argv, &shell, &code)) {
        return code;
    }
    static const struct {
        const char *name, *const *script;
    } shells[] = {{"bash", &bashScript}, {"zsh", &zshScript}, {"fish", &fishScript}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0] && shell != NULL; ++i) {
        if (strcmp(shells[i].name, shell) == 0) {
            fputs(*shells[i].script, stdout);
            return CLI_OK;
        }
    }
    return Cli_Fail(CLI_USAGE, "completion", "for which shell: bash, zsh or fish?");
}
