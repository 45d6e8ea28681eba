//! Known ways in a hurry: where all answers are drawn, a walk by the table goes ahead for a row of places and tells of them afterwards, all at once.
//!
//! Nobody can see the difference. Where the row is not followed to its end, the dice are put back to where they were, and what was followed is drawn again.

use super::MachineWalk;
use super::known::{Known, Next, PlaceId};
use sortie_model::{Chooser, Dice, Drawing, Flow, Passed};

/// Rows are no longer than this.
const LONGEST: usize = 32;

/// Who answers the questions of a walk.
pub(super) trait Guide: Chooser {
    /// The dice that answers come from, if they may be drawn ahead.
    fn dice_ahead(&mut self) -> Option<&mut Dice>;
}

impl Guide for Drawing<'_> {
    #[inline]
    fn dice_ahead(&mut self) -> Option<&mut Dice> {
        self.hears_rows().then(|| self.dice())
    }
}

impl Guide for dyn Chooser + '_ {
    #[inline]
    fn dice_ahead(&mut self) -> Option<&mut Dice> {
        None
    }
}

/// Where a walk by the table is, and after how many steps.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) place: PlaceId,
    pub(super) taken: u64,
}

/// Places that were passed, and the number of the step by which each was left.
#[derive(Default)]
pub(super) struct Row {
    passed: Vec<Passed>,
    left: Vec<(PlaceId, u32)>,
}

impl Row {
    /// Goes ahead from a place for at most so many steps; where that leads, and whether nothing was drawn in vain there.
    #[inline]
    fn fill(
        &mut self,
        known: &Known,
        from: PlaceId,
        dice: &mut Dice,
        most: usize,
    ) -> (PlaceId, bool) {
        self.passed.clear();
        self.left.clear();
        let mut place = from;
        let mut own_dice = dice.clone();
        while self.left.len() < most {
            let here = known.place(place);
            if here.passed.enabled == 0 {
                break;
            }
            let Next::Arrival(number, target) = known.draw(here.next, &mut own_dice) else {
                return (place, false);
            };
            self.passed.push(here.passed);
            self.left.push((place, number));
            place = target;
        }
        *dice = own_dice;
        (place, true)
    }

    /// Draws the first steps again.
    #[cold]
    fn draw_again(&self, known: &Known, steps: usize, dice: &mut Dice) {
        for &(place, _) in &self.left[..steps] {
            known.draw(known.place(place).next, dice);
        }
    }
}

impl MachineWalk<'_> {
    /// Goes on by the table, as long as nothing has to be done but to draw. Whether the walk goes on, and the number of its last step. Not in the first place, nor in the last: these are
    /// told of one by one.
    #[inline]
    pub(super) fn hurry(
        &mut self,
        known: &mut Known,
        spot: &mut Spot,
        limit: u64,
        guide: &mut (impl Guide + ?Sized),
    ) -> (Flow, Option<u32>) {
        let mut last = None;
        while spot.taken > 0 && spot.taken + 1 < limit {
            if known.place(spot.place).passed.enabled == 0 {
                break;
            }
            let Some(dice) = guide.dice_ahead() else {
                break;
            };
            let before = dice.clone();
            let most = (limit - 1 - spot.taken).min(LONGEST as u64) as usize;
            let (mut place, drawn) = self.row.fill(known, spot.place, dice, most);
            let count = self.row.left.len();
            let (passed, flow) = guide.pass(spot.taken, &self.row.passed);
            // A place where it stops was reached, not left.
            let steps = passed - usize::from(flow == Flow::Stop);
            if steps < count || !drawn {
                let mut again = before;
                self.row.draw_again(known, steps, &mut again);
                if let Some(dice) = guide.dice_ahead() {
                    *dice = again;
                }
            }
            if steps < count {
                place = self.row.left[steps].0;
            }
            let left = &self.row.left[..steps];
            known.hits += steps as u64;
            self.live.conflicts.count += known.conflicts_of(left.iter().map(|left| left.1));
            last = left.last().map(|left| left.1).or(last);
            spot.taken += steps as u64;
            spot.place = place;
            if flow == Flow::Stop || passed < most {
                return (flow, last);
            }
        }
        (Flow::Go, last)
    }
}
