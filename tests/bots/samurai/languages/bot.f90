! Samurai in Fortran: the starter's picks.
program bot
  implicit none
  integer :: turns, daimyo, lords, turn, number, lord
  integer :: strength(6), shown(4), mine(6), night(6)
  character :: time

  print '(a)', 'READY'
  flush(6)
  read *, turns, daimyo, lords
  read *, strength
  do turn = 1, turns
    read *, number, time
    do lord = 1, lords
      read *, shown
    end do
    read *, mine
    if (time == 'D') then
      read *, night
      call answer(5)
    else
      call answer(2)
    end if
  end do

contains

  subroutine answer(picks)
    integer, intent(in) :: picks
    integer :: chosen(picks), pick, best
    do pick = 1, picks
      best = maxloc(strength - mine, 1)
      mine(best) = mine(best) + 1
      chosen(pick) = best - 1
    end do
    print '(*(i0, 1x))', chosen
    flush(6)
  end subroutine
end program bot
