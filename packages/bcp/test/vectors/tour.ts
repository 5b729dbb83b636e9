// A payload of our own with every block type, written down byte by byte, and what it must look like as text.
// `test/tour.test.ts` holds the codec to it in both directions; nothing here was produced by the code under test.

import { unhex } from "./hex.ts";

export const TOUR = unhex(`
  42 43 50 00  01 00 00 00                                            header
  01 01 1e                                                            block 0: CODE with a summary, 30 bytes
     05 41 64 64 73 2e                                                  summary "Adds."
     01 00 04  02 01 04 61 2e 70 79                                     python, "a.py"
     03 01 05 61 20 2b 20 62  04 00 07  05 00 08                        "a + b", lines 7 to 8
  08 00 0a  01 00 00  02 00 01  03 01 01 02                           block 1: ANNOTATION, block 0 is of high priority
  02 00 0e  01 00 04  02 01 02 6f 6b  03 01 03 63 2d 31               block 2: CONVERSATION, tool "ok", call "c-1"
  03 00 33                                                            block 3: FILE_TREE, 51 bytes
     01 01 02 77 2f                                                     root "w/"
     02 02 1b  01 01 03 6c 69 62  02 00 01  03 00 00                    directory "lib", in it
        04 02 0c  01 01 03 78 3c 79  02 00 00  03 00 05                   file "x<y", 5 bytes
     02 02 0d  01 01 02 c3 a9  02 00 00  03 00 80 80 40                 file "é", 1 MiB
  04 00 12  01 01 02 6c 73  02 00 03  03 01 00  04 01 04 74 65 78 74  block 4: TOOL_RESULT "ls", timeout, empty, hint "text"
  05 00 0e  01 01 02 54 31  02 01 03 68 0a 69  03 00 02               block 5: DOCUMENT "T1", "h LF i", plain
  06 00 0d  01 00 04  02 01 01 73  03 01 03 61 2c 62                  block 6: STRUCTURED_DATA csv, schema "s", "a,b"
  07 00 22                                                            block 7: DIFF, 34 bytes
     01 01 01 66                                                        "f"
     02 02 0c  01 00 01  02 00 01  03 01 03 2d 61 0a                    hunk 1, 1: "-a LF"
     02 02 0c  01 00 09  02 00 80 01  03 01 02 2b 62                    hunk 9, 128: "+b" without LF
  09 00 0f  01 01 01 76  02 01 02 ab cd  03 01 03 6d 2d 32            block 8: EMBEDDING_REF "v", ab cd, "m-2"
  0a 00 0f  01 00 04  02 01 02 50 22  03 01 04 3c 73 2f 3e            block 9: IMAGE svg, alt 'P"', "<s/>"
  fe 01 00 0e  01 01 01 6e  02 01 01 74  03 01 03 78 3d 31            block 10: EXTENSION "n", "t", "x=1"
  30 01 06  03 73 75 6d  ff 21                                        block 11: unknown 0x30, summary "sum", ff 21
  ff 01 00 00                                                         END
`);

export const TOUR_XML = `<context>
<code lang="python" path="a.py">
a + b
</code>

<turn role="tool">ok</turn>

<tree root="w/">
lib/
  x<y (5 bytes)
é (1048576 bytes)
</tree>

<tool name="ls" status="timeout">

</tool>

<doc title="T1" format="plain">
h
i
</doc>

<data format="csv">
a,b
</data>

<diff path="f">
-a
+b</diff>

<embed-ref model="m-2" />

<image type="svg" alt="P&quot;">
<s/>
</image>

<ext ns="n" type="t">
x=1
</ext>

<!-- unknown block type 0x30 -->
\ufffd!
</context>`;

export const TOUR_MARKDOWN = `## a.py

\`\`\`python
a + b
\`\`\`

**Tool**: ok

### File Tree: w/

\`\`\`
lib/
  x<y (5 bytes)
é (1048576 bytes)
\`\`\`

### Tool: ls (timeout)



### Document: T1 [plain]

h
i

\`\`\`csv
a,b
\`\`\`

### Diff: f

\`\`\`diff
-a
+b\`\`\`

*[Embedding ref: model=m-2]*

### Image (svg): P"

<s/>

### Extension: n/t

x=1

<!-- unknown block type 0x30 -->
\ufffd!`;

export const TOUR_MINIMAL = `--- a.py [python] ---
a + b

[tool] ok

--- tree: w/ ---
lib/
  x<y (5 bytes)
é (1048576 bytes)


--- ls [timeout] ---


--- T1 ---
h
i

--- data [csv] ---
a,b

--- diff: f ---
-a
+b

[embed-ref: m-2]

--- image [svg]: P" ---
<s/>

--- ext: n/t ---
x=1

--- unknown 0x30 ---
\ufffd!`;
