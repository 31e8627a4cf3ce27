import { describe, expect, test } from 'vitest'
import { envelopeOf, parseEnvelope } from './snapshot-codec.ts'

const urn = 'urn:pulumi:dev::shop::a:b:C::a'

/** Returns the code of the error that the parse of a text causes, or 'none'. */
const readCode = (text: string): Promise<string> =>
  parseEnvelope(text).then(
    () => 'none',
    (thrown: { readonly code: string }) => thrown.code,
  )

const parse = (json: unknown) => parseEnvelope(JSON.stringify(json))

describe('reading an envelope', () => {
  test.each([
    ['no JSON', '{', 'STATE_INVALID'],
    ['no object', '[]', 'STATE_INVALID'],
    ['no version', '{"deployment":null}', 'STATE_INVALID'],
    ['version 0', '{"version":0,"deployment":null}', 'STATE_INVALID'],
    ['version 5', '{"version":5,"deployment":null}', 'STATE_TOO_NEW'],
    [
      'an unknown feature',
      '{"version":4,"features":["taint","wings"],"deployment":null}',
      'STATE_TOO_NEW',
    ],
    [
      'an unknown feature in a version without features',
      '{"version":3,"features":["wings"]}',
      'none',
    ],
    [
      'a resource without a URN',
      '{"version":3,"deployment":{"resources":[{"type":"a:b:C"}]}}',
      'STATE_INVALID',
    ],
    [
      'a component with an id',
      `{"version":3,"deployment":{"resources":[{"urn":"${urn}","type":"a:b:C","id":"x"}]}}`,
      'STATE_INVALID',
    ],
  ])('with %s has the error $2', async (_what, text, code) => {
    expect(await readCode(text)).toBe(code)
  })

  test('lists all unsupported features', async () => {
    const input = { version: 4, features: ['fins', 'taint', 'wings'], deployment: null }
    await expect(parse(input)).rejects.toThrow(/fins, wings/)
  })

  test('a new stack has no deployment', async () => {
    expect(await parse({ version: 3, deployment: null })).toEqual({ version: 3, deployment: null })
    expect(await parse({ version: 3 })).toEqual({ version: 3, deployment: null })
  })

  test('an empty deployment is also a new stack', async () => {
    expect((await parse({ version: 3, deployment: {} })).deployment).toEqual({
      manifest: { time: '0001-01-01T00:00:00Z', magic: '', version: '' },
      metadata: {},
    })
  })

  test('unknown fields of resources are preserved', async () => {
    const resource = { urn, custom: true, type: 'a:b:C', wings: 2, inputs: { b: 1, a: null } }
    expect(
      (await parse({ version: 3, deployment: { resources: [resource] } })).deployment?.resources,
    ).toEqual([resource])
  })

  test('a property may have the name __proto__', async () => {
    const text = `{"version":3,"deployment":{"resources":[{"urn":"${urn}","custom":true,"type":"a:b:C","inputs":{"__proto__":1}}]}}`
    const [resource] = (await parseEnvelope(text)).deployment?.resources ?? []
    expect(JSON.stringify(resource?.['inputs'])).toBe('{"__proto__":1}')
  })

  test('byte strings inside ciphertexts remain a feature', async () => {
    const read = await parse({ version: 4, features: ['byteString'], deployment: {} })
    if (read.deployment === null) throw new Error('there is a deployment')
    const again = await envelopeOf(read.deployment)
    expect(again.features).toEqual(['byteString'])
    expect(again.deployment?.metadata).toEqual({})
  })

  test('version 1 becomes version 3', async () => {
    const resource = {
      urn,
      custom: true,
      type: 'a:b:C',
      id: 'x',
      inputs: { size: 1 },
      defaults: { size: 2 },
      dependencies: ['urn:pulumi:dev::shop::a:b:C::b'],
    }
    const input = {
      version: 1,
      deployment: {
        resources: [resource],
        pending_operations: [{ type: 'creating', resource: { urn, type: 'a:b:C' } }],
      },
    }
    const { version, deployment } = await parse(input)
    expect(version).toBe(3)
    expect(deployment?.resources).toEqual([
      {
        urn,
        custom: true,
        type: 'a:b:C',
        id: 'x',
        inputs: { size: 1 },
        outputs: {},
        dependencies: resource.dependencies,
        propertyDependencies: { size: resource.dependencies },
      },
    ])
    expect(deployment?.pending_operations).toEqual([
      {
        type: 'creating',
        resource: { urn, type: 'a:b:C', custom: false, inputs: {}, outputs: {} },
      },
    ])
  })

  test('version 2 becomes version 3 and keeps its provider', async () => {
    const resource = { urn, custom: true, type: 'a:b:C', provider: 'p', inputs: { size: 1 } }
    const { deployment } = await parse({ version: 2, deployment: { resources: [resource] } })
    expect(deployment?.resources).toEqual([{ ...resource, propertyDependencies: { size: [] } }])
  })
})
