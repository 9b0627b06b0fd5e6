# SPDX-License-Identifier: MIT
# Completion of the abut command for fish.

function __abut_scene
    for word in (commandline -opc)
        if string match -q -- '*.json' $word
            echo $word
            return
        end
    end
end

function __abut_objects
    set -l scene (__abut_scene)
    test -n "$scene"; and abut info --names $scene 2>/dev/null
end

set -l commands check first intervals cast classify info view draw help
complete -c abut -f
complete -c abut -n "not __fish_seen_subcommand_from $commands" -a check -d 'How each pair stands at one instant'
complete -c abut -n "not __fish_seen_subcommand_from $commands" -a first -d "The first contact in the scene's time"
complete -c abut -n "not __fish_seen_subcommand_from $commands" -a intervals -d 'All time intervals of contact'
complete -c abut -n "not __fish_seen_subcommand_from $commands" -a cast -d 'Every hit of a ray, nearest first'
complete -c abut -n "not __fish_seen_subcommand_from $commands" -a classify -d 'Where a point or segment lies'
complete -c abut -n "not __fish_seen_subcommand_from $commands" -a info -d 'What is in a scene or mesh file'
complete -c abut -n "not __fish_seen_subcommand_from $commands" -a view -d 'A page that shows the scene in a browser'
complete -c abut -n "not __fish_seen_subcommand_from $commands" -a draw -d 'A picture of the scene'
complete -c abut -n "not __fish_seen_subcommand_from $commands" -a help -d 'How to use a command'
complete -c abut -n '__fish_seen_subcommand_from help' -a 'check first intervals cast classify info view draw'
complete -c abut -n '__fish_seen_subcommand_from check first intervals cast classify view draw' -k -a '(__fish_complete_suffix .json)'
complete -c abut -n '__fish_seen_subcommand_from info' -F
complete -c abut -n '__fish_seen_subcommand_from classify; and test -n "$(__abut_scene)"' -a '(__abut_objects)'

complete -c abut -l json -d 'Print one JSON document'
complete -c abut -l stats -d 'Add work counters and times'
complete -c abut -l help -d 'Say how to use it'
complete -c abut -l version -d 'Print the version'
complete -c abut -n '__fish_seen_subcommand_from check first intervals cast classify' -l exit-code -d 'Exit with 1 when there is contact'
complete -c abut -n '__fish_seen_subcommand_from check cast classify view draw' -x -l time -d 'The instant'
complete -c abut -n '__fish_seen_subcommand_from check first intervals view draw' -x -l pair -a '(__abut_objects)' -d 'Only this pair'
complete -c abut -n '__fish_seen_subcommand_from check first intervals view draw' -x -l simultaneity -d 'Contacts this much later still count'
complete -c abut -n '__fish_seen_subcommand_from check first intervals view draw' -x -l separation -d 'Spacing of samples'
complete -c abut -n '__fish_seen_subcommand_from check first intervals view draw' -x -l accuracy -d 'Goal for the width of time enclosures'
complete -c abut -n '__fish_seen_subcommand_from check first intervals view draw' -x -l max-iterations -d 'Budget for each pair'
complete -c abut -n '__fish_seen_subcommand_from check first intervals view draw' -x -l method -a 'auto advancement raycast halving brent shooting sampled search facetest' -d 'Method to use'
complete -c abut -n '__fish_seen_subcommand_from first intervals' -x -l newton -a 'auto linear inverse krawczyk none' -d 'Curved surfaces: how regions are narrowed down'
complete -c abut -n '__fish_seen_subcommand_from first intervals' -x -l order -a 'auto upper lower' -d 'Curved surfaces: which region is next'
complete -c abut -n '__fish_seen_subcommand_from check first intervals' -x -l threads -d 'So many threads'
complete -c abut -n '__fish_seen_subcommand_from check first intervals' -l moving -d 'Leave out pairs of two objects at rest'
complete -c abut -n '__fish_seen_subcommand_from check first intervals' -l meeting -d 'List only pairs that meet'
complete -c abut -n '__fish_seen_subcommand_from check' -l nearest -d 'Only the nearest pair'
complete -c abut -n '__fish_seen_subcommand_from first intervals' -l no-tangency -d 'Curved surfaces: by contact alone'
complete -c abut -n '__fish_seen_subcommand_from check' -x -l contacts -d 'List at most so many contacts of a pair'
complete -c abut -n '__fish_seen_subcommand_from check' -x -l band -d 'Nearer, or less deep, is touching'
complete -c abut -n '__fish_seen_subcommand_from check' -l regions -d 'What faces and edges have in common'
complete -c abut -n '__fish_seen_subcommand_from check' -x -l within -d 'Also tell which pairs are no farther apart'
complete -c abut -n '__fish_seen_subcommand_from check' -x -l relative -d 'Meshes: distances only to this share'
complete -c abut -n '__fish_seen_subcommand_from check first' -l self -d 'Also tell which meshes meet themselves'
complete -c abut -n '__fish_seen_subcommand_from cast' -x -l ray -d 'Origin and direction'
complete -c abut -n '__fish_seen_subcommand_from classify' -x -l point -d 'Classify this point'
complete -c abut -n '__fish_seen_subcommand_from classify' -x -l segment -d 'Classify the pieces of this segment'
complete -c abut -n '__fish_seen_subcommand_from info' -l names -d 'Print the names of the objects only'
complete -c abut -n '__fish_seen_subcommand_from first' -l all -d 'List every sample of a contact curve or region'
complete -c abut -n '__fish_seen_subcommand_from intervals' -l independent -d 'Each of two ellipsoids has a time of its own'
complete -c abut -n '__fish_seen_subcommand_from view draw' -r -s o -l output -d 'Where to write'
complete -c abut -n '__fish_seen_subcommand_from draw' -x -l size -d 'Of the picture in pixels'
complete -c abut -n '__fish_seen_subcommand_from draw' -x -l camera -d 'Azimuth and elevation in degrees'
complete -c abut -n '__fish_seen_subcommand_from draw' -x -l zoom -d 'Nearer by this factor'
complete -c abut -n '__fish_seen_subcommand_from draw' -l dark -d 'On a dark background'
complete -c abut -n '__fish_seen_subcommand_from view draw' -x -l seconds -d 'Time allowed for answers'
