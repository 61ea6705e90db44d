import json,subprocess,sys,re
from pathlib import Path
ruff=sys.argv[1]
out=json.loads(subprocess.run([ruff,"check","--select","E501","--output-format","json","."],capture_output=True,text=True).stdout)
files=sorted({o["filename"] for o in out})
for f in files:
    p=Path(f); L=p.read_text().split("\n"); i=0; left=[]
    while i<len(L):
        l=L[i]
        if len(l)>110:
            ind=re.match(r"\s*(#\s*)?",l)[0]
            body=l[len(ind):]
            bullet=re.match(r"(- |\d+\. |\w[\w.]*:? {2,})",body)
            cont=ind+" "*(len(bullet[0]) if bullet else 0)
            tail='"""' if l.rstrip().endswith('"""') and l.count('"""')==1 else ""
            cut=l.rfind(" ",0,111)
            is_doc = not re.search(r'[=(]\s*f?"|return |import ',l) or l.lstrip().startswith("#")
            if l.lstrip().startswith('"""') and tail=="" and l.count('"""')==2 or not is_doc or cut<=len(ind):
                left.append(i+1); i+=1; continue
            if l.lstrip().startswith('"""'): cont=re.match(r"\s*",l)[0]
            rest=l[cut+1:]; L[i]=l[:cut]
            nxt=L[i+1] if i+1<len(L) else ""
            nind=re.match(r"\s*(#\s*)?",nxt)[0]
            nbody=nxt[len(nind):]
            same = nxt.strip() and nbody and not re.match(r'(- |\d+\. |"""|@|def |class |[\w]+: |[A-Z]\w+ = )',nbody) and (nind==cont or (nind.strip()=="#" and ind.strip()=="#")) and not tail and (ind.strip()=="#")==(nind.strip()=="#")
            if same: L[i+1]=nind+rest+" "+nbody
            else: L.insert(i+1,cont+rest)
        i+=1
    p.write_text("\n".join(L))
    if left: print(f,left)
