# Has the compiler read what it may not read itself. Expect: held
printf '#include "/etc/shadow"\n' > a.c
printf 'asm(".incbin \\"/proc/1/environ\\"");\n' > b.c
cc -c a.c -o a.o 2>/dev/null && exit 9
cc -c b.c -o b.o 2>/dev/null && [ -s b.o ] && strings b.o 2>/dev/null | grep -q = && exit 9
rm -f a.c b.c a.o b.o
