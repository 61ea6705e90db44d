"""The sentences of the advice, by code."""

from games.core.story import mark

TEXTS = {
    "not_python": mark("Line %(line)d is not Python: %(said)s. Check this line and the one above it."),
    "code_fence": mark(
        "Line %(line)d is a Markdown code fence, not code. Remove it, and the one at the end."
    ),
    "no_colon": mark("Line %(line)d: a colon is missing. End the line with a colon."),
    "open_bracket": mark(
        "Line %(line)d: the bracket %(bracket)s is never closed. Add the bracket that closes it."
    ),
    "open_string": mark("Line %(line)d: a string is never closed. Add the quote that closes it."),
    "open_f_string": mark(
        "Line %(line)d: a brace of this f-string is never closed. Close it, and use another kind of "
        "quote inside the braces than around them."
    ),
    "mixed_tabs": mark("Line %(line)d: tabs and spaces are mixed. Indent every line with spaces only."),
    "wrong_indent": mark(
        "Line %(line)d: the indentation does not match the lines above. Indent all lines of a block "
        "alike, by four spaces."
    ),
    "syntax_of_python_2": mark(
        "Line %(line)d is Python 2. Write it for Python 3: print is a function, as in print(x)."
    ),
    "endless_loading": mark(
        "Line %(line)d: the program does not finish loading. Move what takes long, or never ends, into "
        "the function that the game calls."
    ),
    "compiler_said": mark("Line %(line)d: %(said)s. Correct this error first; others often follow from it."),
    "undefined_name": mark(
        "Line %(line)d: %(name)s is declared, but defined nowhere. Define it, or check how it is spelled."
    ),
    "no_function_to_call": mark(
        "Line %(line)d: the game calls a function of %(count)s arguments, and there is none. Define it with "
        "the name of the file, %(name)s, and with all its arguments."
    ),
    "several_to_call": mark(
        "Line %(line)d: the game calls one function of %(count)s arguments, and cannot tell which of these: "
        "%(found)s. Give the one to call the name of the file, %(name)s."
    ),
    "program_not_function": mark(
        "This program reads lines and prints lines, but the game calls a function. Write the function, or "
        'upload the program in a zip with a file bot.toml that says run = "python3 %(main)s"'
    ),
    "other_name": mark(
        "Line %(line)d looks like %(seen)s, but by the name of its file it is %(chosen)s. Upload it with a "
        "name that ends with %(extension)s."
    ),
    "wrong_arguments": mark(
        "Line %(line)d: the game calls %(name)s with %(count)s arguments. Define it with as many."
    ),
    "no_main": mark(
        "Line 1: there is no function main, where a program begins. Define it, as in int main()."
    ),
    "other_language": mark(
        "Line %(line)d looks like %(seen)s, but the chosen language is %(chosen)s. Choose %(seen)s above "
        "the source code."
    ),
    "needless_self": mark(
        "Line %(line)d: the game calls %(name)s with %(count)s arguments and without self. Remove self."
    ),
    "exits_in_match": mark(
        "Line %(line)d: your program seems to end itself here, with status %(status)s. It has to play "
        "until the match is over."
    ),
    "no_ready_no_loop": mark(
        "Line %(line)d: your program came to its end without printing READY. Print it first, then read "
        "and answer in a loop."
    ),
    "ended_early": mark(
        "Step %(step)d: your program had ended before the match was over. Read and answer in a loop, "
        "once for every turn."
    ),
    "no_main_method": mark(
        "Line %(line)d: this class has no main method. Define it: public static void main(String[] args)."
    ),
    "aborted": mark(
        "Step %(step)d: your program aborted itself. What it wrote to standard error, below, may say why."
    ),
    "too_many_processes": mark(
        "Step %(step)d: your program started too many processes and threads: it may have %(most)s at a "
        "time. Start fewer."
    ),
    "exited_silently": mark(
        "Step %(step)d: your program ended with status %(status)s and without a message. Print to "
        "standard error where it is, to see how far it gets."
    ),
    "exits_in_move": mark(
        "Line %(line)d: your program seems to end itself here, with status %(status)s. After its move it "
        "has to end with status 0."
    ),
    "main_not_called": mark(
        "Line %(line)d: your program came to its end without printing READY. Call its main function in "
        "the last line, for example main()."
    ),
    "invalid_memory_access": mark(
        "Step %(step)d: invalid memory access (segmentation fault). Look for an index out of bounds, a null "
        "pointer, or calls nested too deeply for the stack of %(stack)d MiB (ulimit -s in run.sh raises it)."
    ),
    "divided_by_zero": mark(
        "Step %(step)d: your program divided a whole number by zero. Check the divisor first."
    ),
    "failed_assertion": mark(
        "Line %(line)d: the assertion %(condition)s is false here. Print its values to standard error to "
        "see why."
    ),
    "uncaught_exception": mark(
        "Step %(step)d: your program threw %(error)s and did not catch it. Look for the call that throws it."
    ),
    "exited_with_message": mark(
        "Step %(step)d: your program ended with status %(status)s. What it wrote to standard error, "
        "below, may say why."
    ),
    "gone_in_python_3": mark(
        "Line %(line)d: %(name)s is Python 2. Python 3 does not have it: look up what to use instead."
    ),
    "error_message": mark("Line %(line)d: %(error)s. The whole message is below, under standard error."),
    "arguments_not_input": mark(
        "Line %(line)d: there is no input to read. The game passes everything as arguments: use those."
    ),
    "index_error": mark(
        "Line %(line)d: a list or a text has no element with this number (%(error)s). Check its length first."
    ),
    "key_error": mark(
        "Line %(line)d: a dictionary has no such key (%(error)s). Use get, or check the key first."
    ),
    "value_error": mark(
        "Line %(line)d: a value has the wrong format (%(error)s). Print it to standard error to see what "
        "it is."
    ),
    "type_error": mark(
        "Line %(line)d: a value has the wrong type (%(error)s). Print it to standard error to see what it is."
    ),
    "attribute_error": mark(
        "Line %(line)d: a value has no such attribute (%(error)s). Print it to standard error to see "
        "what it is."
    ),
    "recursion_error": mark(
        "Line %(line)d: a function calls itself without end. Add a case in which it returns without a call."
    ),
    "zero_division_error": mark("Line %(line)d: a division by zero. Check the divisor first."),
    "memory_error": mark("Line %(line)d: there is no more memory. Keep less data at a time."),
    "renamed_in_python_3": mark("Line %(line)d: %(name)s is Python 2. In Python 3 it is called %(now)s."),
    "no_module": mark(
        "Line %(line)d: there is no module %(module)s here. Use the standard library of Python or numpy, "
        "or put the module's source code into your upload."
    ),
    "shadowing_file": mark(
        "Line %(line)d: your file %(name)s.py is imported here, and not Python's module %(name)s. Give the "
        "file another name."
    ),
    "no_name": mark(
        "Line %(line)d: %(name)s has no value here. Check how it is spelled, and that it gets a value first."
    ),
    "no_file": mark(
        "Line %(line)d: there is no file %(file)s here. Put the data into the source code, or upload a "
        "zip that contains the file."
    ),
    "system_exit": mark("Line %(line)d: your program ends itself here. Let it return a move instead."),
    "no_network": mark(
        "Line %(line)d: a match has no network (%(error)s). Put what your program needs into its source "
        "code, or upload a zip with it."
    ),
    "not_writable": mark(
        "Line %(line)d: this file cannot be written (%(error)s). Use a name without a path: the folder "
        "in which your program starts can be written to."
    ),
    "input_is_over": mark(
        "Line %(line)d: there is no more input, because the match is over. Stop reading after the last turn."
    ),
    "append_move": mark(
        "Step %(step)d: the history file was overwritten. Append your move to what it holds."
    ),
    "returned_none": mark(
        "Step %(step)d: the function returned nothing (None). Let every way through it end with return "
        "and a move."
    ),
    "not_a_listed_move": mark(
        "Step %(step)d: what was appended is none of the moves. Append exactly one of them, as it is in "
        "the arguments, with nothing before or after it."
    ),
    "append_move_so": mark(
        "Step %(step)d: the history file was overwritten. Write so that it is appended: %(how)s"
    ),
    "compare_answer": mark("Step %(step)d: %(reason)s. Compare what was sent with your answer, below."),
    "open_to_append": mark(
        'Step %(step)d: the history file was overwritten. Open it with "a", which appends, and not with "w".'
    ),
    "move_printed": mark(
        "Step %(step)d: the move was printed. Append it to the history file, whose name is the first "
        "argument."
    ),
    "no_move_made": mark(
        "Step %(step)d: no move was made. Append one of the moves to the history file, whose name is the "
        "first argument."
    ),
    "wrong_case": mark("Step %(step)d: '%(written)s' is in the wrong case. Write '%(meant)s'."),
    "answer_unfinished": mark(
        "Step %(step)d: the answer %(answer)s has no line break at its end, so it is not complete. End "
        "every answer with a line break."
    ),
    "not_flushed": mark(
        "Line %(line)d: what is printed here stays in a buffer and does not reach the game in time. "
        "Flush the output: %(how)s"
    ),
    "ready_too_late": mark(
        "Line %(line)d: READY was not printed in time. Print it first, before your program reads or "
        "computes anything."
    ),
    "computes_in_loop": mark(
        "Step %(step)d: your program computed until its time was up. Check that the loop in line "
        "%(line)d ends."
    ),
    "reads_too_much": mark(
        "Step %(step)d: your program waited for input that does not come. It reads more lines than it is "
        "sent: compare them with what was sent, below."
    ),
    "too_much_memory": mark(
        "Step %(step)d: your program took more memory than the game allows. Keep less data at a time."
    ),
    "ready_unfinished": mark(
        "Line %(line)d: READY has no line break at its end, so it is not a line yet. End it with a line "
        "break, as print does by itself."
    ),
    "ready_misspelled": mark(
        "Line %(line)d: the first line that a program prints is READY, and yours is %(got)s. Print just "
        "READY."
    ),
    "never_ready": mark(
        "Line 1: your program never prints READY. Print it before anything else, for example with %(how)s"
    ),
    "computes_too_long": mark(
        "Step %(step)d: your program computed until its time was up. Let it compute less, or look for a "
        "loop that never ends."
    ),
    "sleeps": mark(
        "Step %(step)d: your program waited until its time was up, and line %(line)d sleeps. Remove that."
    ),
    "reads_to_end": mark(
        "Line %(line)d: this reads until the input ends, which is after the match. Read one line at a time."
    ),
    "waits": mark("Step %(step)d: your program waited until its time was up. Remove what sleeps or waits."),
    "too_long_an_answer": mark(
        "Step %(step)d: your program's answer was longer than any answer of this game can be. Print "
        "nothing else in that line; notes of your own go to standard error."
    ),
    "too_much_output": mark(
        "Step %(step)d: your program printed far too much. Look for a loop that prints without end."
    ),
}
