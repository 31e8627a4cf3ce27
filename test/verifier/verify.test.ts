import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { verifyExport } from './verify.ts'

const sig = '4dabf18193072939515e22adb298388d'
const secret = '1b47061264138c4ac30d75fd1eb44270'
const stackUrn = 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev'
const providerUrn = 'urn:pulumi:dev::shop::pulumi:providers:a::default'
const urn = 'urn:pulumi:dev::shop::a:b:C::n'

function sealed(): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32), nonce)
  const bytes = Buffer.concat([cipher.update('"x"'), cipher.final(), cipher.getAuthTag()])
  return `v1:${nonce.toString('base64')}:${bytes.toString('base64')}`
}

/** A right export with two secrets; tests break it by replacing text. */
const right = `${JSON.stringify(
  {
    version: 4,
    features: ['taint'],
    deployment: {
      manifest: {
        time: '2026-11-21T06:00:00.123Z',
        magic: createHash('sha256').update('v3.260.0').digest('hex'),
        version: 'v3.260.0',
      },
      secrets_providers: { type: 'passphrase', state: { salt: `v1:AAAAAAAAAAA=:${sealed()}` } },
      resources: [
        { urn: stackUrn, custom: false, type: 'pulumi:pulumi:Stack' },
        { urn: providerUrn, custom: true, id: 'p1', type: 'pulumi:providers:a' },
        {
          urn,
          custom: true,
          id: 'i1',
          type: 'a:b:C',
          inputs: {
            a: { [sig]: secret, ciphertext: sealed() },
            b: [
              1,
              null,
              {},
              { [sig]: '8ad145fe-0d11-4827-bfd7-1abcbf086f5c', value: '7ff0000000000000' },
            ],
            c: { [sig]: 'c44067f5952c0a294b673a41bacd8c17', text: 'hi' },
            d: { [sig]: '5cf8f73096256a8f31e491e813e4eb8e', packageVersion: '', urn: stackUrn },
          },
          outputs: { a: { [sig]: secret, ciphertext: sealed() } },
          parent: stackUrn,
          taint: true,
          dependencies: [providerUrn],
          provider: `${providerUrn}::p1`,
          propertyDependencies: { a: null, b: [providerUrn] },
          customTimeouts: { create: 60 },
          created: '2026-11-21T06:00:00.12Z',
          replacementTrigger: false,
          resourceHooks: undefined,
        },
      ],
      pending_operations: [{ resource: { urn, custom: true, type: 'a:b:C' }, type: 'creating' }],
      metadata: {},
    },
  },
  null,
  4,
)}\n`

function shown(): string {
  const text = `{"<in>":{"${sig}":"${secret}","plaintext":"1"}}`
    .replace('<', '\\u003c')
    .replace('>', '\\u003e')
  return right.replace(/"ciphertext": "[^"]*"/g, `"plaintext": ${JSON.stringify(text)}`)
}

describe('an export', () => {
  test('that follows the rules has no violations, sealed or shown', () => {
    expect(verifyExport(right)).toEqual([])
    expect(verifyExport(shown(), { sealed: false })).toEqual([])
  })

  test('of a stack that never ran is right', () => {
    expect(verifyExport('{\n    "version": 3,\n    "deployment": null\n}\n')).toEqual([])
  })

  test('with shown secrets is wrong where they must be sealed, and the other way round', () => {
    expect(verifyExport(shown())).toHaveLength(2)
    expect(verifyExport(right, { sealed: false })).toHaveLength(2)
  })
})

describe('the verifier bites on', () => {
  const cases: readonly (readonly [
    name: string,
    from: string | RegExp,
    to: string,
    says: string,
  ])[] = [
    ['what is no JSON', '{', '[', 'not JSON'],
    ['another indent', /\n {4}"/g, '\n  "', 'not printed as Go'],
    ['a missing newline at the end', /\n$/, '', 'not printed as Go'],
    ['an escape that Go does not make', '"hi"', '"\\u003c"', 'not printed as Go'],
    ['a version without its features', '"version": 4', '"version": 3', 'version must be'],
    ['a feature that nothing needs', '"taint"\n', '"views"\n', "nothing needs the feature 'views'"],
    ['a magic of another version', '"v3.260.0"', '"v3.261.0"', 'magic'],
    ['a time that is none', '06:00:00.123Z', '06:00', 'RFC 3339'],
    ['a time with trailing zeros', '00.12Z', '00.120Z', 'trailing zeros'],
    ['missing metadata', ',\n        "metadata": {}', '', 'metadata: it must be there'],
    ['an unknown field', '"taint": true', '"tainted": true', "'tainted' is not known"],
    [
      'fields out of order',
      /"custom": false,\n( *)"type": "pulumi:pulumi:Stack"/,
      '"type": "pulumi:pulumi:Stack",\n$1"custom": false',
      "'custom' is out of order",
    ],
    ['an empty field', '"taint": true', '"taint": false', "'taint' is empty"],
    ['a missing required field', /"custom": false,\n */, '', "'custom' is missing"],
    [
      'a component with an id',
      '"custom": false',
      '"custom": false,\n                "id": "x"',
      'component with an id',
    ],
    [
      'a type that is not that of the URN',
      '"type": "a:b:C"',
      '"type": "a:b:D"',
      'not that of its URN',
    ],
    [
      'a parent that is not there',
      `"parent": "${stackUrn}"`,
      `"parent": "${stackUrn}x"`,
      'does not stand before',
    ],
    [
      'a dependency on itself',
      `"dependencies": [\n                    "${providerUrn}"`,
      `"dependencies": [\n                    "${urn}"`,
      'does not stand before',
    ],
    ['a provider with another id', '::p1"', '::p2"', 'its provider'],
    [
      'a provider that is none',
      `"provider": "${providerUrn}::p1"`,
      `"provider": "${urn}::p1"`,
      'not a provider reference',
    ],
    ['unsorted keys', '"c":', '"0":', 'not sorted'],
    ['a key that stands twice', '"c":', '"b":', 'stands twice'],
    ['an unknown signature', '8ad145fe', '8ad145ff', 'unknown signature'],
    ['bits of a finite number', '7ff0000000000000', '0000000000000000', 'finite'],
    ['a reference without version', '"packageVersion": "",\n', '\n', 'packageVersion'],
    ['an empty text of an asset', '"text": "hi"', '"text": ""', 'left out'],
    ['a ciphertext that is none', /"ciphertext": "v1:/, '"ciphertext": "v2:', 'not v1:'],
    ['a salt that is none', '"salt": "v1', '"salt": "v2', 'salt'],
    ['an unknown pending operation', '"creating"', '"making"', 'type is not known'],
    ['a null trigger', '"replacementTrigger": false', '"replacementTrigger": null', 'null'],
  ]
  for (const [name, from, to, says] of cases)
    test(name, () => {
      const broken = right.replace(from, to)
      expect(broken).not.toBe(right)
      expect(verifyExport(broken).join('\n')).toContain(says)
    })

  test('a resource that stands twice, unless one is marked for deletion', () => {
    const again = `${`"urn": "${stackUrn}"`},\n                "custom": false,`
    const other = right.replace(/\n {12}\{\n {16}"urn": "[^"]*Stack::shop-dev"[^}]*\},/, '$&$&')
    expect(other).toContain(again)
    expect(verifyExport(other)).toEqual([`resources[1]: '${stackUrn}' stands twice without a mark`])
    const marked = other.replace(
      '"custom": false,',
      '"custom": false,\n                "delete": true,',
    )
    expect(verifyExport(marked)).toEqual([])
  })

  test('a ciphertext that is used twice', () => {
    const one = sealed()
    const broken = right.replace(/"ciphertext": "[^"]*"/g, `"ciphertext": "${one}"`)
    expect(verifyExport(broken)).toEqual(['resources[2].outputs.a: a ciphertext is used twice'])
  })

  test('a mark of broken integrity where nothing is broken, and excuses what is', () => {
    const marked = right.replace(
      '"metadata": {}',
      '"metadata": {\n            "integrity_error": {\n                "error": "x"\n            }\n        }',
    )
    expect(verifyExport(marked)).toEqual([
      'integrity_error: the state is marked as broken, but is not',
    ])
    expect(verifyExport(marked.replace('::p1"', '::p2"'))).toEqual([])
  })

  test('a plaintext that Go would not write', () => {
    const broken = shown().replaceAll('\\\\u003c', '<')
    expect(verifyExport(broken, { sealed: false })).toHaveLength(2)
  })
})
