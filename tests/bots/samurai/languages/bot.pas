{ Samurai in Pascal: the starter's picks. }
program bot;

type
  Numbers = array [0..5] of integer;

var
  strength, mine, night: Numbers;
  turns, daimyo, lords, turn, number, lord, column: integer;
  blank, time: char;

procedure ReadNumbers(var into: Numbers);
var
  lord: integer;
begin
  for lord := 0 to lords - 1 do
    Read(into[lord]);
end;

procedure Answer(picks: integer);
var
  pick, lord, best: integer;
begin
  for pick := 1 to picks do
  begin
    best := 0;
    for lord := 1 to lords - 1 do
      if strength[lord] - mine[lord] > strength[best] - mine[best] then
        best := lord;
    mine[best] := mine[best] + 1;
    Write(best, ' ');
  end;
  WriteLn;
  Flush(Output);
end;

begin
  WriteLn('READY');
  Flush(Output);
  Read(turns, daimyo, lords);
  ReadNumbers(strength);
  for turn := 1 to turns do
  begin
    Read(number, blank, time);
    for lord := 1 to lords do { what everybody sees }
      for column := 1 to daimyo do
        Read(number);
    ReadNumbers(mine);
    if time = 'D' then
    begin
      ReadNumbers(night);
      Answer(5);
    end
    else
      Answer(2);
  end;
end.
