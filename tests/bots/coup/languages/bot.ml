(* Coup in OCaml: the starter's moves. *)
let choose cards moves =
  let offered move = List.mem move moves in
  if offered "C" then "C"
  else if offered "A" && String.contains cards '^' then "A"
  else if offered "T" && String.contains cards '$' then "T"
  else if offered "I\n" then "I\n"
  else if offered "s" && String.contains cards '!' then "s"
  else if offered "p" then "p"
  else if offered "\n" then "\n"
  else List.nth moves (List.length moves - 1)

let keep cards =
  let value card = String.index "$^*!~" card in
  let sorted = List.sort (fun a b -> compare (value a) (value b)) (List.of_seq (String.to_seq cards)) in
  String.sub (String.of_seq (List.to_seq sorted)) 0 (String.length cards - 2)

let () =
  match Array.to_list Sys.argv with
  | _ :: file :: _theirs :: _mine :: cards :: moves ->
      let history = open_out_gen [ Open_append; Open_binary ] 0 file in
      output_string history (choose cards moves);
      close_out history;
      if String.length cards > 2 then print_endline (keep cards) (* an exchange: keep the best *)
  | _ -> exit 2
