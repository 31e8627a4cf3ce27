import type { Article } from './site'

const months: readonly (readonly [month: string, note: string])[] = [
  ['January', 'The lake carries a cart. Sharpen what was blunt, and mend nets by the stove.'],
  ['February', 'Light comes back by the width of a hand each week. Order seeds.'],
  ['March', 'Wind from three sides. Tie down the ferry, and let the ice go by itself.'],
  ['April', 'Rain before breakfast does not count. Plant what was ordered in February.'],
  ['May', 'Lanterns stay in the shed. The orchard is louder than the road.'],
  ['June', 'Nights too short to be written about. Start early, and stop when done.'],
  ['July', 'Low water: the old bridge shows its feet. Nobody is in a hurry.'],
  ['August', 'Pick what is ripe and leave what depends on something riper.'],
  ['September', 'Kites. The wind has learned manners since March.'],
  ['October', 'Bring in the boats, smallest first, all that can be carried at once.'],
  ['November', 'Fog. Ring the bell when you begin, and again when you are home.'],
  ['December', 'Count what there is, write it down, and lock the book away.'],
]

const seasons: readonly (readonly [season: string, note: string])[] = [
  ['Spring', 'Everything at once, and none of it waiting for the other.'],
  ['Summer', 'Long days: whoever has nothing left to do may watch the clouds.'],
  ['Autumn', 'Each tree lets go of its own leaves, in no order that matters.'],
  ['Winter', 'What was kept is eaten, what was lent comes back.'],
]

const createArticle = ([title, note]: readonly [string, string]): Article => ({
  title,
  path: `pages/${title.toLowerCase()}.html`,
  note,
})

/** An article for each month and season. Edit a note and deploy again: its page is updated. */
export const articles: readonly Article[] = [...months, ...seasons].map(createArticle)
