! Coup in Fortran: the starter's moves.
program bot
  implicit none
  character(len=*), parameter :: newline = achar(10), best = '$^*!~'
  character(len=:), allocatable :: path, cards, move, kept
  integer :: value, i

  path = word(1)
  cards = word(4)
  move = choose()
  open(unit=10, file=path, access='stream', form='unformatted', status='old', position='append')
  write(10) move
  close(10)
  if (len(cards) > 2) then ! an exchange: keep the best
    kept = ''
    do value = 1, len(best)
      do i = 1, len(cards)
        if (cards(i:i) == best(value:value)) kept = kept // cards(i:i)
      end do
    end do
    print '(a)', kept(:len(cards) - 2)
  end if

contains

  function word(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    integer :: length
    call get_command_argument(number, length=length)
    allocate(character(len=length) :: text)
    call get_command_argument(number, text)
  end function

  logical function offered(wanted)
    character(len=*), intent(in) :: wanted
    integer :: number
    offered = .false.
    do number = 5, command_argument_count()
      ! Fortran's == takes no notice of blanks at the end, so the lengths are compared, too.
      if (len(word(number)) == len(wanted)) offered = offered .or. word(number) == wanted
    end do
  end function

  function choose() result(chosen)
    character(len=:), allocatable :: chosen
    if (offered('C')) then
      chosen = 'C'
    else if (offered('A') .and. index(cards, '^') > 0) then
      chosen = 'A'
    else if (offered('T') .and. index(cards, '$') > 0) then
      chosen = 'T'
    else if (offered('I' // newline)) then
      chosen = 'I' // newline
    else if (offered('s') .and. index(cards, '!') > 0) then
      chosen = 's'
    else if (offered('p')) then
      chosen = 'p'
    else if (offered(newline)) then
      chosen = newline
    else
      chosen = word(command_argument_count())
    end if
  end function
end program bot
