{ Coup in Pascal: the starter's moves. }
program bot;

const
  Newline = #10;
  Best = '$^*!~';

var
  cards: string;

function Offered(wanted: string): boolean;
var
  i: integer;
begin
  Offered := false;
  for i := 5 to ParamCount do
    if ParamStr(i) = wanted then
      Offered := true;
end;

function Choose: string;
begin
  if Offered('C') then Choose := 'C'
  else if Offered('A') and (Pos('^', cards) > 0) then Choose := 'A'
  else if Offered('T') and (Pos('$', cards) > 0) then Choose := 'T'
  else if Offered('I' + Newline) then Choose := 'I' + Newline
  else if Offered('s') and (Pos('!', cards) > 0) then Choose := 's'
  else if Offered('p') then Choose := 'p'
  else if Offered(Newline) then Choose := Newline
  else Choose := ParamStr(ParamCount);
end;

procedure Append(path, text: string);
var
  history: file of char;
  i: integer;
begin
  FileMode := 2;
  Assign(history, path);
  Reset(history);
  Seek(history, FileSize(history));
  for i := 1 to Length(text) do
    Write(history, text[i]);
  Close(history);
end;

procedure Keep; { in an exchange: the best }
var
  kept: string;
  value, i: integer;
begin
  kept := '';
  for value := 1 to Length(Best) do
    for i := 1 to Length(cards) do
      if cards[i] = Best[value] then
        kept := kept + cards[i];
  WriteLn(Copy(kept, 1, Length(cards) - 2));
end;

begin
  cards := ParamStr(4);
  Append(ParamStr(1), Choose);
  if Length(cards) > 2 then
    Keep;
end.
