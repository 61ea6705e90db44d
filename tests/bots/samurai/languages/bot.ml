(* Samurai in OCaml: the starter's picks. *)
let read_numbers () =
  Array.of_list (List.map int_of_string (String.split_on_char ' ' (String.trim (read_line ()))))

let choose strength mine picks =
  List.init picks (fun _ ->
      let best = ref 0 in
      Array.iteri
        (fun lord strong -> if strong - mine.(lord) > strength.(!best) - mine.(!best) then best := lord)
        strength;
      mine.(!best) <- mine.(!best) + 1;
      string_of_int !best)

let () =
  print_endline "READY";
  let settings = read_numbers () in
  let strength = read_numbers () in
  for _turn = 1 to settings.(0) do
    let day = String.contains (read_line ()) 'D' in
    for _lord = 1 to settings.(2) do
      ignore (read_line ()) (* what everybody sees *)
    done;
    let mine = read_numbers () in
    if day then ignore (read_line ()); (* the night before *)
    print_endline (String.concat " " (choose strength mine (if day then 5 else 2)))
  done
