import { readObjects } from './sandbox.ts'

/** An object in the cloud of the test provider. */
interface ThingObject {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly attrs: Readonly<Record<string, string | number | null>>
}

/** Returns the objects in the cloud of the test provider. */
export function readThings(cloud: string): readonly ThingObject[] {
  return readObjects(cloud) as readonly unknown[] as readonly ThingObject[]
}

/** A resource of a Terraform state. */
interface TfstateResource {
  readonly mode: 'managed' | 'data'
  readonly type: string
  readonly name: string
  readonly module?: string
  readonly provider: string
  readonly instances: readonly Readonly<Record<string, unknown>>[]
}

const provider = 'provider["golden.test/golden/tfgold"]'
/** The private data of an object that the test provider has planned (`p`) and applied (`a`). */
const privateData = Buffer.from('{"chain":"pa"}').toString('base64')

const attributePath = (name: string) => [{ type: 'get_attr', value: name }]

/**
 * Returns the Terraform state of the objects that the program `adopted` creates. It has counted and
 * keyed instances, a module, an alias, sensitive values and an identity. One object has an old
 * schema. The object `deposedName` becomes a deposed instance of the resource `old`. The instance
 * `taintedName` is tainted.
 */
export function createTfstate(
  objects: readonly ThingObject[],
  options: { readonly taintedName?: string; readonly deposedName?: string } = {},
): { readonly version: 4; readonly resources: readonly TfstateResource[] } {
  const instanceOf = (name: string, more: object = {}) => {
    const object = objects.find(candidate => candidate.name === name)
    if (object === undefined) throw new Error(`there is no object ${name}`)
    return {
      schema_version: object.type === 'tfgold_thing' ? 2 : 1,
      attributes: object.attrs,
      private: privateData,
      ...(options.taintedName === name ? { status: 'tainted' } : {}),
      ...more,
    }
  }
  const createResource = (
    name: string,
    instances: TfstateResource['instances'],
    more: object = {},
  ) => ({
    mode: 'managed' as const,
    type: 'tfgold_thing',
    name,
    provider,
    instances,
    ...more,
  })
  const { deposedName } = options
  const deposed =
    deposedName === undefined ? [] : [instanceOf(deposedName, { deposed: '0a1b2c3d' })]
  const sensitive = [attributePath('secret'), attributePath('token'), attributePath('value')]
  const pool = [0, 1].map(index => instanceOf(`pool${index}`, { index_key: index }))
  const state = {
    version: 4 as const,
    terraform_version: '1.12.6',
    serial: 3,
    lineage: '0c0ffee0',
    outputs: { url: { value: 'x', type: 'string' } },
    check_results: [{ object_kind: 'check', config_addr: 'check.up', status: 'pass' }],
    resources: [
      createResource('l', [{ schema_version: 0, attributes: { id: 'x' } }], {
        mode: 'data',
        type: 'tfgold_lookup',
      }),
      createResource('far', [instanceOf('far')], { provider: `${provider}.west` }),
      createResource(
        'inner',
        [instanceOf('inner', { dependencies: ['data.tfgold_lookup.l', 'tfgold_thing.pool'] })],
        {
          module: 'module.net["a"]',
        },
      ),
      createResource('old', [createOldInstance(instanceOf('old')), ...deposed]),
      createResource('pool', pool),
      createResource('sealed', [instanceOf('sealed', { sensitive_attributes: sensitive })]),
      createResource('zone', [instanceOf('zone', { index_key: 'eu' })]),
      createResource(
        'named',
        [
          instanceOf('named', {
            identity: { name: 'named', region: 'r1' },
            identity_schema_version: 1,
          }),
        ],
        { type: 'tfgold_ident' },
      ),
    ],
  }
  return deposedName === undefined
    ? state
    : { ...state, resources: state.resources.filter(({ name }) => name !== deposedName) }
}

/** Returns an instance in the schema of version 0 and the format of Terraform before 0.12. */
function createOldInstance(instance: { readonly attributes: Readonly<Record<string, unknown>> }) {
  const { attributes, ...fields } = instance
  const { value, size, ...others } = attributes
  const texts = Object.entries(others).filter(([, part]) => typeof part === 'string')
  const flat = { ...Object.fromEntries(texts), val: value, size: String(size) }
  return {
    ...fields,
    schema_version: 0,
    attributes_flat: flat,
  }
}
