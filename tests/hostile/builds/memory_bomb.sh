# Has the compiler use up the memory. Expect: memory, killed, exited, took too long
printf '#define A(x) x,x,x,x,x,x,x,x,x,x\n#define B(x) A(A(A(A(x))))\nint big[] = {B(B(1))};\n' > big.c
cc -c big.c 2>&1 | tail -c 300
python3 -c 'x = bytearray(1 << 30)'
