/** Whole names with an irregular plural. */
const irregularPlurals: ReadonlyMap<string, string> = new Map(
  Object.entries({
    atlas: 'atlases',
    beef: 'beefs',
    brother: 'brothers',
    cafe: 'cafes',
    child: 'children',
    cookie: 'cookies',
    corpus: 'corpuses',
    cow: 'cows',
    foot: 'feet',
    ganglion: 'ganglions',
    genie: 'genies',
    genus: 'genera',
    goose: 'geese',
    graffito: 'graffiti',
    hero: 'heroes',
    hoof: 'hoofs',
    loaf: 'loaves',
    man: 'men',
    money: 'monies',
    mongoose: 'mongooses',
    move: 'moves',
    mythos: 'mythoi',
    niche: 'niches',
    numen: 'numina',
    octopus: 'octopuses',
    opus: 'opuses',
    ox: 'oxen',
    person: 'people',
    potato: 'potatoes',
    sex: 'sexes',
    soliloquy: 'soliloquies',
    testis: 'testes',
    tooth: 'teeth',
    trilby: 'trilbys',
    turf: 'turfs',
  }),
)

/**
 * Names without a plural. Pulumi's list has further names, which are left out here, because no
 * property has such a name.
 */
const unchangedNames = new RegExp(
  `^(?:${[
    'bison|bream|breeches|buffalo|carp|chassis|clippers|cod|corps|debris|diabetes|elk|equipment',
    'gallows|graffiti|headquarters|information|innings|mackerel|moose|mumps|news|nexus|people',
    'pincers|pliers|proceedings|rabies|rhinoceros|rice|salmon|scissors|series|shears|siemens',
    'species|swine|testes|trousers|trout|tuna|whiting|wildebeest',
    '.*media|.*[nrlm]ese|.*deer|.*fish|.*measles|.*ois|.*pox|.*sheep',
  ].join('|')})$`,
  'i',
)

/** Endings and their plurals. The first rule that matches applies. */
const suffixRules: readonly (readonly [RegExp, string])[] = [
  [/(s)tatus$/i, '$1tatuses'],
  [/(quiz)$/i, '$1zes'],
  [/([ml])ouse$/i, '$1ice'],
  [/(matr|vert|ind)(?:ix|ex)$/i, '$1ices'],
  [/(x|ch|ss|sh)$/i, '$1es'],
  [/([^aeiouy]|qu)y$/i, '$1ies'],
  [/(hive)$/i, '$1s'],
  [/([^f])fe$|([lre])f$/i, '$1$2ves'],
  [/sis$/i, 'ses'],
  [/([ti])um$/i, '$1a'],
  [/(p)erson$/i, '$1eople'],
  [/(m)an$/i, '$1en'],
  [/(c)hild$/i, '$1hildren'],
  [/(buffal|tomat)o$/i, '$1oes'],
  [/(alumn|bacill|cact|foc|fung|nucle|radi|stimul|syllab|termin|vir)us$/i, '$1i'],
  [/us$/i, 'uses'],
  [/(alias)$/i, '$1es'],
  [/(ax|cris|test)is$/i, '$1es'],
  [/s$/, 's'],
  [/$/, 's'],
]

/**
 * Returns the plural of a name in Terraform's spelling, such as `rules` for `rule`. The rules are
 * those by which Pulumi names lists, even where they give a wrong plural. An irregular plural
 * applies to a whole name only, so `left_foot` becomes `left_foots`.
 */
export function pluralize(name: string): string {
  if (name === '') return ''
  const irregular = irregularPlurals.get(name.toLowerCase())
  if (irregular !== undefined) return name.slice(0, 1) + irregular.slice(1)
  if (unchangedNames.test(name)) return name
  const rule = suffixRules.find(([ending]) => ending.test(name))
  return rule === undefined ? name : name.replace(...rule)
}
