# SPDX-License-Identifier: MIT
# Completion of the abut command for bash: commands, options, scene and mesh files, and the names of a scene's objects
# after `classify SCENE` and `--pair`. Needs no other package.

_abut_complete() {
    local cur=${COMP_WORDS[COMP_CWORD]}
    local commands="check first intervals cast classify info view draw help"
    local common="--json --stats --help --version"
    local query="--threads --moving --pair --simultaneity --separation --accuracy --max-iterations --method --exit-code"
    local surface="--newton --order --no-tangency"
    local command= scene= option= word skip=0 operands=0 i
    COMPREPLY=()

    # What stands before the cursor: the command, the scene, how many operands; values of options are skipped.
    for ((i = 1; i < COMP_CWORD; ++i)); do
        word=${COMP_WORDS[i]}
        if ((skip > 0)); then
            # bash splits --time=1 at the equals sign
            [ "$word" = "=" ] || skip=$((skip - 1))
            continue
        fi
        case $word in
        --pair) option=$word skip=2 ;;
        --time | --ray | --point | --segment | --simultaneity | --separation | --accuracy | --max-iterations | --method | --contacts | --band | --within | --relative | --newton | --order | --threads | -o | --output | --size | --camera | --zoom | --seconds)
            option=$word skip=1
            ;;
        -?*) ;;
        *)
            operands=$((operands + 1))
            [ "$operands" -eq 1 ] && command=$word
            [ "$operands" -eq 2 ] && scene=$word
            ;;
        esac
    done

    # The value of an option.
    if ((skip > 0)); then
        [ "$cur" = "=" ] && cur=
        case $option in
        --method) COMPREPLY=($(compgen -W "auto advancement raycast halving brent shooting sampled search facetest" -- "$cur")) ;;
        --newton) COMPREPLY=($(compgen -W "auto linear inverse krawczyk none" -- "$cur")) ;;
        --order) COMPREPLY=($(compgen -W "auto upper lower" -- "$cur")) ;;
        --pair) _abut_objects "$scene" "$cur" ;;
        -o | --output) COMPREPLY=($(compgen -f -- "$cur")) ;;
        esac
        return
    fi

    case $cur in
    -*)
        local options=
        case $command in
        check) options="--time --contacts --band --regions --within --meeting --nearest --relative --self $query $common" ;;
        first) options="--all --self --meeting $query $surface $common" ;;
        intervals) options="--independent --meeting $query $surface $common" ;;
        cast) options="--ray --time --exit-code $common" ;;
        classify) options="--point --segment --time --exit-code $common" ;;
        info) options="--names $common" ;;
        view) options="--output --time --seconds ${query% --exit-code} $common" ;;
        draw) options="--output --time --size --camera --zoom --dark --seconds ${query% --exit-code} $common" ;;
        *) options="$common" ;;
        esac
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
        return
        ;;
    esac

    case $operands in
    0) COMPREPLY=($(compgen -W "$commands" -- "$cur")) ;;
    1)
        if [ "$command" = help ]; then
            COMPREPLY=($(compgen -W "$commands" -- "$cur"))
        else
            local pattern='*.json'
            [ "$command" = info ] && pattern='*.@(json|obj|stl|ply|off)'
            _abut_files "$pattern" "$cur"
        fi
        ;;
    2) [ "$command" = classify ] && _abut_objects "$scene" "$cur" ;;
    esac
    return 0
}

# Files that match the pattern, and directories.
_abut_files() {
    local file reset
    reset=$(shopt -p extglob)
    shopt -s extglob
    while IFS= read -r file; do
        if [ -d "$file" ]; then
            COMPREPLY+=("$file/")
            compopt -o nospace 2>/dev/null
        elif [[ ${file##*/} == $1 ]]; then
            COMPREPLY+=("$file")
        fi
    done < <(compgen -f -- "$2")
    $reset
}

# Names of the objects of a scene; those with blanks are quoted.
_abut_objects() {
    local name
    [ -f "$1" ] || return 0
    while IFS= read -r name; do
        [[ $name == "$2"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
    done < <("${COMP_WORDS[0]}" info --names "$1" 2>/dev/null)
}

complete -F _abut_complete abut
