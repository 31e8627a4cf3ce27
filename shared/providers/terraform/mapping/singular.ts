/** Singulars of whole names. They take precedence over the rules below. */
const irregularSingulars: ReadonlyMap<string, string> = new Map(
  Object.entries({
    atlases: 'atlas',
    children: 'child',
    cookies: 'cookie',
    corpuses: 'corpus',
    feet: 'foot',
    foes: 'foe',
    genera: 'genus',
    geese: 'goose',
    heroes: 'hero',
    men: 'man',
    monies: 'money',
    moves: 'move',
    niches: 'niche',
    people: 'person',
    potatoes: 'potato',
    teeth: 'tooth',
    waves: 'wave',
  }),
)

/** Names that are their own singular. */
const unchangedNames = new RegExp(
  `^(?:${[
    'chassis|corps|debris|diabetes|equipment|headquarters|information|innings|news|nexus',
    'proceedings|rice|series|species',
    '.*[nrlm]ese|.*deer|.*fish|.*measles|.*ois|.*pox|.*sheep|.*ss',
  ].join('|')})$`,
  'i',
)

/** Endings of plurals and their singulars. The first rule that matches applies. */
const suffixRules: readonly (readonly [RegExp, string])[] = [
  [/(s)tatuses$/i, '$1tatus'],
  [/(menu)s$/i, '$1'],
  [/(quiz)zes$/i, '$1'],
  [/(matr)ices$/i, '$1ix'],
  [/(vert|ind)ices$/i, '$1ex'],
  [/(alias)(?:es)?$/i, '$1'],
  [/(alumn|bacill|cact|foc|fung|nucle|radi|stimul|syllab|termin|vir)i$/i, '$1us'],
  [/([ftw]ax)es/i, '$1'],
  [/(cris|ax|test)es$/i, '$1is'],
  [/(shoe)s$/i, '$1'],
  [/(o)es$/i, '$1'],
  [/ouses$/, 'ouse'],
  [/([^a])uses$/, '$1us'],
  [/([ml])ice$/i, '$1ouse'],
  [/(x|ch|ss|sh)es$/i, '$1'],
  [/(m)ovies$/i, '$1ovie'],
  [/(s)eries$/i, '$1eries'],
  [/([^aeiouy]|qu)ies$/i, '$1y'],
  [/(tive|hive|drive)s$/i, '$1'],
  [/([le])ves$/i, '$1f'],
  [/([^rfoa])ves$/i, '$1fe'],
  [/(analy|diagno|ba|parenthe|progno|synop|the)ses$/i, '$1sis'],
  [/([ti])a$/i, '$1um'],
  [/(p)eople$/i, '$1erson'],
  [/(m)en$/i, '$1an'],
  [/(c)hildren$/i, '$1hild'],
  [/(n)ews$/i, '$1ews'],
  [/eaus$/, 'eau'],
  [/us$/, 'us'],
  [/s$/i, ''],
]

/**
 * Returns the singular of the name of a list, such as `rule` for `rules`: the name of one element.
 * These are the rules by which Pulumi names nested types, even where they are wrong.
 */
export function singularize(name: string): string {
  const irregular = irregularSingulars.get(name.toLowerCase())
  if (irregular !== undefined) return name.slice(0, 1) + irregular.slice(1)
  if (unchangedNames.test(name)) return name
  const rule = suffixRules.find(([ending]) => ending.test(name))
  return rule === undefined ? name : name.replace(...rule)
}
