#lang racket/base
;; Samurai in Racket: the starter's picks.
(require racket/list racket/string)

(define (read-words) (string-split (read-line)))
(define (read-numbers) (map string->number (read-words)))

(define (choose strength mine picks)
  (cond
    [(zero? picks) '()]
    [else
     (define best (index-of (map - strength mine) (apply max (map - strength mine))))
     (cons best (choose strength (list-update mine best add1) (sub1 picks)))]))

(define (say words)
  (displayln (string-join words " "))
  (flush-output))

(say '("READY"))
(define settings (read-numbers))
(define strength (read-numbers))
(for ([turn (first settings)])
  (define day (equal? (second (read-words)) "D"))
  (for ([lord (third settings)]) (read-line)) ; what everybody sees
  (define mine (read-numbers))
  (when day (read-line)) ; the night before
  (say (map number->string (choose strength mine (if day 5 2)))))
