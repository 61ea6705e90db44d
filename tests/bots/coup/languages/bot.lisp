;;; Coup in Common Lisp: the starter's moves.
(defvar *newline* (string #\Newline))
(defvar *income* (format nil "I~%"))

(defun choose (cards moves)
  (flet ((offered (move) (member move moves :test #'string=))
         (holds (card) (find card cards)))
    (cond ((offered "C") "C")
          ((and (offered "A") (holds #\^)) "A")
          ((and (offered "T") (holds #\$)) "T")
          ((offered *income*) *income*)
          ((and (offered "s") (holds #\!)) "s")
          ((offered "p") "p")
          ((offered *newline*) *newline*)
          (t (first (last moves))))))

(destructuring-bind (file theirs mine cards &rest moves)
    (rest sb-ext:*posix-argv*)
  (declare (ignore theirs mine))
  (with-open-file (history file :direction :output :if-exists :append)
    (write-string (choose cards moves) history))
  (when (> (length cards) 2) ; an exchange: keep the best
    (let ((best (sort (copy-seq cards) #'< :key (lambda (card) (position card "$^*!~")))))
      (write-line (subseq best 0 (- (length cards) 2))))))
