/**
 * verifier: the rules of state.md, written from the reference a second time, so that a state that
 * the engine exports is judged by code that shares nothing with the engine. Imports node only.
 *
 * Invariant: nothing of `shared/` is imported, or a fault there would excuse itself here.
 */
import { checkIntegrity } from './integrity-rules.ts'
import {
  field,
  fieldsOf,
  isList,
  isObject,
  isSorted,
  itemsOf,
  type Ordered,
  parseOrdered,
  printAsGo,
  textField,
} from './ordered-json.ts'
import { checkOrder, checkResource, isEmpty } from './resource-rules.ts'
import { isBase64, isSymmetric, type Report, type ValueContext } from './value-rules.ts'

/** How an export was made: with its secrets sealed (the default), or shown. */
export interface ExportOptions {
  readonly sealed?: boolean
}

/** Every violation of the rules of an export, as `<place>: <what>`; none when it is right. */
export function verifyExport(text: string, options: ExportOptions = {}): string[] {
  const found: string[] = []
  const report: Report = (where, what) => found.push(`${where}: ${what}`)
  let envelope: Ordered
  try {
    envelope = parseOrdered(text)
  } catch {
    return ['export: it is not JSON']
  }
  checkText(text, envelope, report)
  checkOrder(envelope, 'export', { report, order: ['version', 'features', 'deployment'] })
  const deployment = field(envelope, 'deployment')
  if (deployment === undefined) report('export', 'it has no deployment')
  const needed = isObject(deployment)
    ? checkDeployment(deployment, report, options)
    : { features: [], mayHideBytes: false }
  checkFeatures(envelope, report, needed)
  return found
}

/** The printed form: Go's, four spaces, no HTML escapes, a newline at the end. */
function checkText(text: string, envelope: Ordered, report: Report): void {
  const expected = `${printAsGo(envelope, { indent: '    ', html: false })}\n`
  if (text === expected) return
  const lines = text.split('\n')
  const at = expected.split('\n').findIndex((line, index) => line !== lines[index])
  report(`line ${at < 0 ? lines.length : at + 1}`, 'it is not printed as Go prints it')
}

interface Needed {
  readonly features: readonly string[]
  /** Whether byte strings may lie in ciphertexts, where nobody sees them. */
  readonly mayHideBytes: boolean
}

function checkFeatures(envelope: Ordered, report: Report, needed: Needed): void {
  const names = itemsOf(field(envelope, 'features')).map(String)
  if (field(envelope, 'version') !== (names.length > 0 ? 4 : 3))
    report('export', 'the version must be 4 with features and 3 without')
  if (field(envelope, 'features') !== undefined && names.length === 0)
    report('export', 'an empty list of features should be left out')
  if (!isSorted(names)) report('export', 'the features are not sorted, or one stands twice')
  for (const name of needed.features)
    if (!names.includes(name)) report('export', `the feature '${name}' is missing`)
  for (const name of names) {
    const isHidden = name === 'byteString' && needed.mayHideBytes
    if (!needed.features.includes(name) && !isHidden)
      report('export', `nothing needs the feature '${name}'`)
  }
}

const deploymentFields = [
  'manifest',
  'secrets_providers',
  'resources',
  'pending_operations',
  'metadata',
  'snippets',
  'extensions',
]

const pendingTypes = ['creating', 'updating', 'deleting', 'reading', 'importing']

function checkDeployment(deployment: Ordered, report: Report, options: ExportOptions): Needed {
  checkOrder(deployment, 'deployment', { report, order: deploymentFields })
  for (const [name, value] of fieldsOf(deployment))
    if (name !== 'manifest' && name !== 'metadata' && isEmpty(value))
      report('deployment', `the field '${name}' is empty and should be left out`)
  checkManifest(field(deployment, 'manifest'), report)
  const provider = field(deployment, 'secrets_providers')
  checkProvider(provider, report)
  let hasBytes = false
  const context: ValueContext = {
    report,
    secrets: options.sealed === false ? 'shown' : 'sealed',
    symmetric: ['passphrase', 'cloud'].includes(textField(provider, 'type')),
    ciphertexts: new Set(),
    noteBytes: () => {
      hasBytes = true
    },
  }
  checkResources(deployment, context)
  if (context.ciphertexts.size > 0 && provider === undefined)
    report('deployment', 'there are secrets, but nobody who keeps them')
  checkMetadata(deployment, report)
  checkExtensions(field(deployment, 'extensions'), report)
  const features = neededFeatures(deployment)
  return {
    features: hasBytes ? [...features, 'byteString'] : features,
    mayHideBytes: context.ciphertexts.size > 0,
  }
}

function checkManifest(manifest: Ordered | undefined, report: Report): void {
  if (!isObject(manifest)) {
    report('manifest', 'it is missing')
    return
  }
  checkOrder(manifest, 'manifest', { report, order: ['time', 'magic', 'version', 'plugins'] })
  for (const name of ['time', 'magic', 'version'])
    if (typeof field(manifest, name) !== 'string') report('manifest', `it has no ${name}`)
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,8}[1-9])?(Z|[+-]\d\d:\d\d)$/
  if (!time.test(textField(manifest, 'time'))) report('manifest', 'its time is not RFC 3339')
}

function checkProvider(provider: Ordered | undefined, report: Report): void {
  if (provider === undefined) return
  const where = 'secrets_providers'
  checkOrder(provider, where, { report, order: ['type', 'state'] })
  const state = field(provider, 'state')
  switch (textField(provider, 'type')) {
    case '':
      report(where, 'it has no type')
      return
    case 'passphrase': {
      checkOrder(state ?? null, where, { report, order: ['salt'] })
      const [version, salt = '', ...check] = textField(state, 'salt').split(':')
      if (version !== 'v1' || !isBase64(salt) || !isSymmetric(check.join(':')))
        report(where, 'its salt is not v1:<salt>:v1:<nonce>:<sealed>')
      return
    }
    case 'cloud':
      checkOrder(state ?? null, where, { report, order: ['url', 'encryptedkey'] })
      if (!isBase64(textField(state, 'encryptedkey'))) report(where, 'its key is not base64')
      return
    default:
  }
}

function checkResources(deployment: Ordered, context: ValueContext): void {
  const { report } = context
  for (const [at, resource] of itemsOf(field(deployment, 'resources')).entries()) {
    const where = `resources[${at}]`
    checkResource(resource, where, context)
    if (field(resource, 'aliases') !== undefined) report(where, 'its aliases were not taken out')
  }
  for (const [at, operation] of itemsOf(field(deployment, 'pending_operations')).entries()) {
    const where = `pending_operations[${at}]`
    checkOrder(operation, where, { report, order: ['resource', 'type'] })
    const resource = field(operation, 'resource')
    if (resource === undefined) report(where, 'it has no resource')
    else checkResource(resource, `${where}.resource`, context)
    if (!pendingTypes.includes(textField(operation, 'type'))) report(where, 'its type is not known')
  }
}

/** Whoever marks a state as broken must be right, and whoever does not, too. */
function checkMetadata(deployment: Ordered, report: Report): void {
  const metadata = field(deployment, 'metadata')
  if (!isObject(metadata)) report('metadata', 'it must be there, if only as {}')
  checkOrder(metadata ?? null, 'metadata', { report, order: ['integrity_error'] })
  const mark = field(metadata, 'integrity_error')
  if (mark === undefined) {
    checkIntegrity(deployment, report)
    return
  }
  checkOrder(mark, 'integrity_error', {
    report,
    order: ['version', 'command', 'error', 'env_vars'],
  })
  for (const [name, value] of fieldsOf(mark))
    if (isEmpty(value)) report('integrity_error', `the field '${name}' is empty`)
  let faults = 0
  checkIntegrity(deployment, () => {
    faults += 1
  })
  if (faults === 0) report('integrity_error', 'the state is marked as broken, but is not')
}

function checkExtensions(extensions: Ordered | undefined, report: Report): void {
  const keys = fieldsOf(extensions).map(([key]) => key)
  if (!isSorted(keys)) report('extensions', 'the references are not sorted')
  for (const [key, extension] of fieldsOf(extensions)) {
    const names = fieldsOf(extension).map(([name]) => name)
    if (names.join() !== 'name,version,value') report(`extensions.${key}`, 'its fields are wrong')
  }
}

/** What a reader must know, but for byte strings (state.md 1.3). */
function neededFeatures(deployment: Ordered): readonly string[] {
  const features = new Set<string>()
  const pending = itemsOf(field(deployment, 'pending_operations'))
  const operations = pending.map(operation => field(operation, 'resource') ?? null)
  const raising: readonly (readonly [name: string, feature: string])[] = [
    ['refreshBeforeUpdate', 'refreshBeforeUpdate'],
    ['viewOf', 'views'],
    ['resourceHooks', 'hooks'],
    ['taint', 'taint'],
    ['replaceWith', 'replaceWith'],
    ['extensionRef', 'extensionParameterization'],
    ['snippetID', 'snippets-prototype'],
  ]
  for (const resource of [...itemsOf(field(deployment, 'resources')), ...operations])
    for (const [name, feature] of raising)
      if (!isEmpty(field(resource, name) ?? null)) features.add(feature)
  const snippets = field(deployment, 'snippets')
  if (isList(snippets) && snippets.length > 0) features.add('snippets-prototype')
  return [...features]
}
