;;; Samurai in Common Lisp: the starter's picks.
(defun choose (strength mine picks)
  (loop repeat picks
        collect (let ((best 0))
                  (loop for lord from 1 below (length strength)
                        when (> (- (nth lord strength) (nth lord mine))
                                (- (nth best strength) (nth best mine)))
                          do (setf best lord))
                  (incf (nth best mine))
                  best)))

(defun read-numbers (count)
  (loop repeat count collect (read)))

(defun say (words)
  (format t "~{~a~^ ~}~%" words)
  (finish-output))

(say '("READY"))
(destructuring-bind (turns daimyo lords) (read-numbers 3)
  (let ((strength (read-numbers lords)))
    (dotimes (turn turns)
      (read) ; its number
      (let* ((day (eq (read) 'd))
             (shown (read-numbers (* lords daimyo)))
             (mine (read-numbers lords))
             (night (and day (read-numbers lords))))
        (declare (ignore shown night))
        (say (choose strength mine (if day 5 2)))))))
