/**
 * The first words of exported functions, except names that end in `Of` or in `Of` and a noun. A new
 * word must be a verb. These words begin names too: `to` of conversions, `with` and `without` of
 * wrappers, and the verbs of questions, such as `is`.
 */
export const verbs: ReadonlySet<string> = new Set(
  `
  abandon accept acknowledge acquire adapt add adopt align allow allows analyze answer apply are
  arm ask assert assign attach authenticate await back begin bench build bundle calibrate call
  can cancel capitalize catch change check choose claim classify clean clear close coerce
  collect combine compact compare complete compress compute condemn configure confirm conforms
  connect construct contains convert copy count covers create creates cut decide declare decode
  decompress deduplicate define delete deliver deploy derive describe destroy detach detects
  diagnose diff digest disallow downgrade download draft draw edit emit encode end ensure enter
  escape estimate evaluate exchange execute exempt expand expect explain export extend fail
  fence fetch fill filter find finish fit fits flatten flush fold follow for format forward
  generate get give group guard hand has hash have hide ignore import include includes indent
  inherit init initialize insert inspect install invoke is issue join keep kill launch lay limit
  link list load locate login logout lower make map mark mask match matches may measure merge
  meter migrate move must mutate name names needs normalize notify observe obtain offer omit
  open operate pack pad parenthesize parse passes pause perform permits ping place plan
  pluralize poll post prepare preview print probe promote propose prune publish push put query
  quote read reads rebuild receive recode reconcile record recover redact redeliver redrive
  reduce refresh refuse register release remove removes rename render renew repair replace
  replay reply report request requests requeue require reseal reserve reset resolve restore
  restricts resume retries retry revoke rewrite roll rotate round run runs save scan schedule
  seal select selects send separate serialize serve set settle share shorten should show shrink
  shut sign signal simplify simulate singularize skip skips sleep slice sort spawn split start
  stop store stream strip sum summarize sweep sync synthesise take test throw tidy time to track
  transact transform try undo unpack unwrap update upgrade use validate verify wait wake walk
  warn watch whoami with withdraw without write
  `.match(/\w+/g),
)
