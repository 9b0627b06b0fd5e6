# SPDX-License-Identifier: MIT
# The C of a document as one program: blocks fenced as "c" follow one another in main, those fenced as "c file" stand before it.
/^```c file$/ { where = 2; next }
/^```c$/ { where = 1; next }
/^```/ { where = 0; next }
where == 1 { inside = inside "    " $0 "\n" }
where == 2 { before = before $0 "\n" }
END {
    print "#include <abut/abut.h>\n#include <math.h>\n#include <stdio.h>\n"
    print before "\nint main(void)\n{\n" inside "    return 0;\n}"
}
