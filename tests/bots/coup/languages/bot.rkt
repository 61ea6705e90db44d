#lang racket/base
;; Coup in Racket: the starter's moves.
(require racket/list)

(define (choose cards moves)
  (define (offered move) (member move moves))
  (define (holds card) (memv card (string->list cards)))
  (cond
    [(offered "C") "C"]
    [(and (offered "A") (holds #\^)) "A"]
    [(and (offered "T") (holds #\$)) "T"]
    [(offered "I\n") "I\n"]
    [(and (offered "s") (holds #\!)) "s"]
    [(offered "p") "p"]
    [(offered "\n") "\n"]
    [else (last moves)]))

(define (keep cards)
  (define best (sort (string->list cards) < #:key (lambda (card) (index-of (string->list "$^*!~") card))))
  (list->string (drop-right best 2)))

(define words (vector->list (current-command-line-arguments)))
(define cards (fourth words))
(call-with-output-file (first words) #:exists 'append
  (lambda (history) (display (choose cards (drop words 4)) history)))
(when (> (string-length cards) 2) ; an exchange: keep the best
  (displayln (keep cards)))
