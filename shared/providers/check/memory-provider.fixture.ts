import { containsUnknown, stripSecretsInMap } from '../../values/special-values.ts'
import { type PropertyMap, secretOf, unknown } from '../../values/value.ts'
import { areEqualValues } from '../../values/equal.ts'
import { ProviderError } from '../provider-error.ts'
import type { Provider } from '../provider.ts'
import type { OpenedProvider } from './opened-provider.ts'
import { readPackageSchema } from './read-package-schema.ts'

/** The ways in which a provider in memory violates contracts. */
export type MemoryDefect =
  | 'schema flaw'
  | 'new schema each time'
  | 'refuses config'
  | 'fails to configure'
  | 'crashes on unknown types'
  | 'accepts unknown functions'
  | 'dies on cancel'
  | 'refuses inputs'
  | 'renames in each check'
  | 'guesses unknowns in check'
  | 'accepts missing'
  | 'accepts wrong types'
  | 'crashes on lists'
  | 'creates in preview'
  | 'previews a random value'
  | 'refuses unknowns in preview'
  | 'loses secrets in preview'
  | 'fails to create'
  | 'fails with a secret'
  | 'creates partly'
  | 'leaves outputs unknown'
  | 'breaks promises'
  | 'returns a plain token'
  | 'always differs'
  | 'differs the second time'
  | 'reads other values'
  | 'reads plain secrets'
  | 'imports other values'
  | 'refuses imports'
  | 'finds missing objects'
  | 'ignores changes'
  | 'replaces by unchanged keys'
  | 'fails to update'
  | 'breaks promises of updates'
  | 'forgets updates'
  | 'mixes up concurrent calls'
  | 'fails to delete'
  | 'never deletes'
  | 'reads deleted objects'
  | 'fails to delete again'
  | 'hangs in create'

const token = 'mem:index:Thing'

const schema = {
  name: 'mem',
  resources: {
    [token]: {
      inputProperties: {
        name: { type: 'string' },
        size: { type: 'integer' },
        zone: { type: 'string' },
        key: { type: 'string', secret: true },
      },
      requiredInputs: ['name'],
      properties: { name: { type: 'string' }, token: { type: 'string', secret: true } },
    },
  },
}

/** A cloud in memory that survives its providers. */
export interface MemoryCloud {
  readonly objects: Map<string, PropertyMap>
  /** The number of providers that were opened over this cloud. */
  readonly openings: { count: number }
}

/** Creates an empty cloud. */
export function createMemoryCloud(): MemoryCloud {
  return { objects: new Map(), openings: { count: 0 } }
}

function failWith(
  message: string,
  status: ProviderError['status'] = 'ok',
  partialResource?: ProviderError['partialResource'],
): never {
  throw new ProviderError(message, { status, code: 2, partialResource })
}

/** Opens a provider over a cloud, with defects. */
export function openMemoryProvider(
  { objects, openings }: MemoryCloud,
  defects: readonly MemoryDefect[],
): OpenedProvider {
  const has = (defect: MemoryDefect): boolean => defects.includes(defect)
  openings.count += 1
  let hasEnded = false
  let schemaCount = 0
  const diffCounts = { empty: 0, running: 0 }
  const crash = (): never => {
    hasEnded = true
    return failWith('the process ended', 'lost')
  }
  const outputsOf = (inputs: PropertyMap, values: ReadonlyMap<string, string>): PropertyMap =>
    new Map([...inputs, ...values])
  const createObjectOutputs = (id: string, inputs: PropertyMap): PropertyMap =>
    new Map([
      ...outputsOf(inputs, new Map([['arn', `arn:${id}`]])),
      ['token', has('returns a plain token') ? `t-${id}` : secretOf(`t-${id}`)],
    ])
  const previewOf = (inputs: PropertyMap): PropertyMap =>
    new Map([
      ...(has('loses secrets in preview') ? stripSecretsInMap(inputs) : inputs),
      ['arn', has('breaks promises') ? 'arn:promised' : unknown],
      ...(has('previews a random value')
        ? ([['stamp', String(objects.size + Math.random())]] as const)
        : []),
    ])
  const provider: Provider = {
    pkg: 'mem',
    version: '1.0.0',
    isUnconfigured: () => false,
    hasEnded: () => hasEnded,
    async checkConfig({ newInputs }) {
      const failures = has('refuses config') ? [{ property: 'region', reason: 'missing' }] : []
      return { inputs: newInputs, failures }
    },
    diffConfig: () => failWith('not called'),
    parameterize: () => failWith('not called'),
    async configure() {
      if (has('fails to configure')) failWith('no credentials')
    },
    async check({ type, newInputs, oldInputs }) {
      if (type !== token)
        return has('crashes on unknown types') ? crash() : failWith('no such type')
      if ([...newInputs.values()].some(Array.isArray) && has('crashes on lists')) crash()
      if (has('refuses inputs'))
        return { inputs: newInputs, failures: [{ property: 'name', reason: 'taken' }] }
      const inputs = new Map(newInputs)
      const failures = []
      const name = inputs.get('name')
      if (name === undefined && !has('accepts missing'))
        failures.push({ property: 'name', reason: 'missing' })
      if (!has('accepts wrong types'))
        for (const [property, value] of stripSecretsInMap(newInputs)) {
          const isNumber = property === 'size'
          const hasRightType =
            typeof value === (isNumber ? 'number' : 'string') || containsUnknown(value)
          if (!hasRightType) failures.push({ property, reason: 'wrong type' })
        }
      if (has('renames in each check') && oldInputs !== undefined)
        inputs.set('zone', `z${Math.random()}`)
      if (has('guesses unknowns in check') && containsUnknown(name)) inputs.set('name', 'guess')
      return { inputs, failures }
    },
    async diff({ id, oldOutputs, newInputs }) {
      diffCounts.running += 1
      await new Promise(resolve => setImmediate(resolve))
      const isConcurrent = diffCounts.running > 1
      diffCounts.running -= 1
      const changed = [...newInputs.keys()].filter(
        key =>
          !areEqualValues(
            stripSecretsInMap(newInputs).get(key),
            stripSecretsInMap(oldOutputs).get(key),
          ),
      )
      diffCounts.empty += changed.length === 0 ? 1 : 0
      if (has('always differs')) changed.push('name')
      if (has('differs the second time') && diffCounts.empty === 2) changed.push('name')
      if (has('mixes up concurrent calls') && isConcurrent) changed.push('name')
      if (has('forgets updates') && oldOutputs.get('size') === 2) changed.push('size')
      const isIgnored = has('ignores changes') && changed.includes('size')
      const replaceKeys: string[] = changed.filter(key => key === 'zone')
      if (has('replaces by unchanged keys') && changed.includes('zone')) replaceKeys.push('name')
      return {
        changes: changed.length === 0 || isIgnored ? 'none' : 'some',
        replaceKeys: id === '' ? [] : replaceKeys,
        stableKeys: [],
        changedKeys: changed,
        detailedDiff: null,
        deleteBeforeReplace: false,
      }
    },
    async create({ inputs, preview }) {
      if (preview && has('refuses unknowns in preview') && containsUnknown(inputs))
        failWith('unknown name')
      const id = `thing-${objects.size + 1}`
      if (preview && !has('creates in preview'))
        return { id: '', outputs: previewOf(inputs), refreshBeforeUpdate: false }
      if (has('hangs in create') && !preview) await new Promise(() => undefined)
      if (has('fails to create')) failWith('quota exceeded')
      if (has('fails with a secret'))
        failWith(`refused key ${JSON.stringify(stripSecretsInMap(inputs).get('key'))}`)
      objects.set(id, stripSecretsInMap(inputs))
      const outputs = createObjectOutputs(id, inputs)
      if (has('creates partly') && !preview)
        failWith('not ready', 'partial', {
          id,
          outputs,
          inputs: undefined,
          reasons: ['not ready'],
          refreshBeforeUpdate: false,
        })
      const createdOutputs = has('leaves outputs unknown')
        ? new Map([...outputs, ['arn', unknown]])
        : outputs
      return { id, outputs: createdOutputs, refreshBeforeUpdate: false }
    },
    async read({ id, inputs, outputs }) {
      const isImport = outputs === undefined
      if (isImport && has('refuses imports')) failWith('no import')
      const stored =
        objects.get(id) ??
        (isImport && has('finds missing objects') ? new Map([['name', 'any']]) : undefined) ??
        (!isImport && has('reads deleted objects') ? inputs : undefined)
      if (stored === undefined)
        return {
          id: '',
          inputs: undefined,
          outputs: undefined,
          refreshBeforeUpdate: false,
          initErrors: [],
        }
      const isOther =
        (has('reads other values') && !isImport) || (has('imports other values') && isImport)
      const current = isOther ? new Map([...stored, ['size', 99]]) : stored
      const marked = new Map(
        [...current].map(([key, value]) =>
          key === 'key' && !has('reads plain secrets')
            ? ([key, secretOf(value)] as const)
            : ([key, value] as const),
        ),
      )
      return {
        id,
        inputs: marked,
        outputs: createObjectOutputs(id, marked),
        refreshBeforeUpdate: false,
        initErrors: [],
      }
    },
    async update({ id, newInputs, preview }) {
      if (preview)
        return {
          outputs: new Map([
            ...newInputs,
            ['arn', has('breaks promises of updates') ? 'arn:promised' : unknown],
          ]),
          refreshBeforeUpdate: false,
        }
      if (has('fails to update')) failWith('locked')
      objects.set(id, stripSecretsInMap(newInputs))
      return { outputs: createObjectOutputs(id, newInputs), refreshBeforeUpdate: false }
    },
    async delete({ id }) {
      // Fails only once: the raised count lets the clean-up delete the object.
      if (has('fails to delete') && openings.count < 2 && objects.has(id)) {
        openings.count = 2
        failWith('still in use')
      }
      if (has('never deletes')) failWith('still in use')
      if (!objects.delete(id) && has('fails to delete again')) failWith('not found')
    },
    async invoke() {
      return has('accepts unknown functions')
        ? { outputs: new Map(), failures: [] }
        : failWith('no such function')
    },
    call: () => failWith('not called'),
    construct: () => failWith('not called'),
    cancel: async () => undefined,
    close: async () => undefined,
  }
  return {
    description: 'in memory',
    provider,
    async readSchema() {
      schemaCount += 1
      const flaw = has('schema flaw') ? { requiredInputs: ['name', 'nowhere'] } : {}
      const stamp = has('new schema each time') ? { stamp: schemaCount } : {}
      const resource = { ...schema.resources[token], ...flaw }
      return readPackageSchema(
        JSON.stringify({ ...schema, ...stamp, resources: { [token]: resource } }),
      )
    },
    async stop() {
      if (has('dies on cancel')) hasEnded = true
      return undefined
    },
    close: async () => undefined,
  }
}
