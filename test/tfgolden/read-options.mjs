/** The command line of the runner. */
import { mkdtempSync, readdirSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildTestProvider } from './build-provider.ts'

const project = resolve(import.meta.dirname, '../..')

const options = {
  cli: { type: 'string', default: join(project, 'cli', 'antichain') },
  tofu: { type: 'string', default: 'tofu' },
  cases: { type: 'string', default: join(import.meta.dirname, 'cases') },
  'node-modules': {
    type: 'string',
    default: join(project, 'test', 'fixtures', 'sdk', 'node_modules'),
  },
  provider: { type: 'string' },
  plugin: { type: 'string' },
  only: { type: 'string' },
  jobs: { type: 'string', default: '1' },
  tmp: { type: 'string', default: tmpdir() },
  record: { type: 'boolean', default: false },
  self: { type: 'boolean', default: false },
  mutate: { type: 'boolean', default: false },
  fresh: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
}

/**
 * Reads the arguments, and builds the provider unless they name its folder. Creates the temporary
 * folder of the run. Throws when an argument is unknown, or when no case has a selected name.
 */
export function readOptions(args) {
  const { values } = parseArgs({ args, options, strict: true })
  const casesFolder = resolve(values.cases)
  const caseNames = selectCases(casesFolder, values)
  if (caseNames.length === 0) throw new Error(`no case in '${casesFolder}' is selected`)
  return {
    ...values,
    casesFolder,
    caseNames,
    jobs: Number(values.jobs),
    keepsFolders: values.keep,
    nodeModules: resolve(values['node-modules']),
    pluginFolder: values.plugin === undefined ? undefined : resolve(values.plugin),
    providerFolder: values.provider === undefined ? buildTestProvider() : resolve(values.provider),
    tempFolder: mkdtempSync(join(values.tmp, 'tfgolden-')),
  }
}

/** Lists the selected cases. A name in `--only` may end with `*`. */
function selectCases(casesFolder, { only, fresh }) {
  const patterns = only?.split(',')
  const isSelected = name =>
    patterns === undefined ||
    patterns.some(pattern =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    )
  const has = (name, file) => existsSync(join(casesFolder, name, file))
  return readdirSync(casesFolder)
    .filter(name => has(name, 'case.json') && isSelected(name))
    .filter(name => !fresh || !has(name, 'expected'))
    .sort()
}
