// Operators timed beside a copy: a line a case, every round in the JSON file, a curve an operator and one for the copy.
// RUN: tigon bench --rounds=3 softmax:f32:8x64 rms_norm:bf16:4x100:strip=32 --json=%t.json --svg=%t.svg | FileCheck %s
// CHECK: softmax:f32:8x64 {{.*}} us {{.*}} GB/s {{.*}} of copy
// CHECK: rms_norm:bf16:4x100:strip=32 {{.*}} of copy
// RUN: python3 -c "import json; c = json.load(open('%t.json'))['cases']; assert [x['bytes'] for x in c] == [2 * 8 * 64 * 4, 2 * 800 + 200 + 16], c; assert all(len(t) == 3 and min(t) > 0 for x in c for t in x['milliseconds'].values()), c"
// RUN: FileCheck %s --check-prefix=SVG --input-file=%t.svg
// SVG: <svg
// SVG-DAG: copy</text>
// SVG-DAG: softmax f32, tigon</text>
// SVG-DAG: rms_norm bf16, tigon</text>
// SVG: </svg>

// RUN: not tigon bench sofmax:f32:8x64 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: tigon: case 'sofmax:f32:8x64': found operator 'sofmax', expected one of {{.*}}softmax
// RUN: not tigon bench softmax:f32:8 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: case 'softmax:f32:8': found '8', expected OPERATOR:DTYPE:ROWSxN
// RUN: not tigon bench softmax:f32:8x8:wraps=2 2>&1 | FileCheck %s --check-prefix=FIELD
// FIELD: found 'wraps=2', expected OPERATOR:DTYPE:ROWSxN[:FIELD=VALUE,...]
// RUN: not tigon bench --rounds=0 2>&1 | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: --rounds: found 0, expected 1 or more
// RUN: not tigon bench softmax:f32:8x8 --against=torch --python=/no/python 2>&1 | FileCheck %s --check-prefix=PYTHON
// PYTHON: cannot start '/no/python': No such file or directory; --python names another
