# Leaves modules that would be taken for those of the interpreter that looks after bots. Expect: held
for name in agent json os socket struct session spawner room sitecustomize usercustomize; do
    echo 'import os; os.write(1, b"forged\n")' > $name.py
done
mkdir inside encodings && cp os.py inside/__init__.py && cp os.py encodings/__init__.py
