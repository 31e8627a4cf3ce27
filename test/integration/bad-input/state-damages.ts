import { gzipSync } from 'node:zlib'
import { closedAddress } from './bad-input-bench.ts'
import {
  changeByte,
  createCompressionDamage,
  createDeploymentDamage,
  createEnvelopeDamage,
  createResourceDamage,
  createSecretDamage,
  createSyntaxDamage,
  createValueDamage,
  type StateDamage,
  thingOf,
  thingUrn,
  withOpen,
} from './create-damage.ts'

/** Damages of the text. They apply to exports and to checkpoints. */
export const textDamages: readonly StateDamage[] = [
  createSyntaxDamage('empty', () => '', 'it is empty'),
  createSyntaxDamage('white space', () => '\n \n', 'it is empty'),
  createSyntaxDamage(
    'truncated',
    text => text.slice(0, text.length / 2),
    /it is truncated: it ends at line \d+/,
  ),
  createSyntaxDamage('truncated by a byte', text => text.trimEnd().slice(0, -1), /it is truncated/),
  createSyntaxDamage('continued', text => `${text}x`, /it is not JSON at line \d+, column/),
  createSyntaxDamage(
    'flipped in a bracket',
    text => text.replace('"resources": [', '"resources": {'),
    /line \d/,
  ),
  createSyntaxDamage(
    'flipped in a name',
    text => changeByte(text, '"custom"', 0x02),
    /line \d+, column|malformed/,
  ),
  createSyntaxDamage(
    'flipped to a byte that is not UTF-8',
    text => changeByte(text, 'gold:none', 0x80),
    /line \d/,
  ),
  createSyntaxDamage(
    'flipped to a control character',
    text => changeByte(text, 'none:a-1', 0x60),
    /at line \d+/,
  ),
  createSyntaxDamage(
    'with a number that is NaN',
    text => text.replace('"open": 1', '"open": NaN'),
    /at line \d/,
  ),
  createSyntaxDamage(
    'UTF-16',
    text => Buffer.from(`\ufeff${text}`, 'utf16le'),
    'encoded in UTF-16',
  ),
  createSyntaxDamage(
    'an HTML page',
    () => '<!DOCTYPE html><html>Sign in</html>',
    'it is HTML or XML',
  ),
  createSyntaxDamage(
    'a program',
    () => Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]),
    'it is a binary file',
  ),
  createSyntaxDamage(
    'YAML',
    () => 'version: 3\ndeployment: {}\n',
    'it is not JSON at line 1, column 1',
  ),
  createSyntaxDamage('a JSON list', text => `[${text}]`, /object/),
  createSyntaxDamage('a JSON text', () => '"state"', /object/),
  createSyntaxDamage('the JSON word null', () => 'null', /object/),
  createSyntaxDamage(
    'nested too deep',
    text => withOpen(text, `${'['.repeat(1_500)}${']'.repeat(1_500)}`),
    /deep/,
  ),
  createSyntaxDamage(
    'nested very deep',
    text => withOpen(text, `${'['.repeat(200_000)}${']'.repeat(200_000)}`),
    /deep/,
  ),
]

/** Damages of the envelope and its deployment, which every reader finds. */
export const envelopeDamages: readonly StateDamage[] = [
  createSyntaxDamage(
    'with a number above the range',
    text => withOpen(text, '1e400'),
    new RegExp(`a number of ${thingUrn} exceeds the range`),
  ),
  createEnvelopeDamage('of version 5', { version: 5 }, 'STATE_TOO_NEW', 'the unknown version 5'),
  createEnvelopeDamage('of version -1', { version: -1 }, 'STATE_INVALID', 'version -1'),
  createEnvelopeDamage(
    'of the version "3"',
    { version: '3' },
    'STATE_INVALID',
    /version|checkpoint/,
  ),
  createEnvelopeDamage('of version 3.5', { version: 3.5 }, 'STATE_INVALID', /version|checkpoint/),
  createEnvelopeDamage(
    'with an unknown feature',
    { version: 4, features: ['hooks', 'telepathy'] },
    'STATE_TOO_NEW',
    'unsupported features: telepathy',
  ),
  createResourceDamage('with a number as URN', 'STATE_INVALID', /resources\.2\.urn/, { urn: 7 }),
  createResourceDamage('without a URN', 'STATE_INVALID', /resources\.2\.urn/, { urn: '' }),
  createResourceDamage('without a type', 'STATE_INVALID', describeMalformed('type'), { type: '' }),
  createResourceDamage(
    'with a text as dependencies',
    'STATE_INVALID',
    describeMalformed('dependencies'),
    {
      dependencies: 'x',
    },
  ),
  createResourceDamage(
    'with a number as provider',
    'STATE_INVALID',
    describeMalformed('provider'),
    {
      provider: 5,
    },
  ),
  createResourceDamage('with an id of a component', 'STATE_INVALID', thingUrn, { custom: false }),
  createDeploymentDamage('with an object as resources', 'STATE_INVALID', /resources/, state => ({
    ...state,
    resources: {},
  })),
  createDeploymentDamage('with an empty resource', 'STATE_INVALID', /resources\.4/, state => ({
    ...state,
    resources: [...state.resources, null],
  })),
]

const gone = 'urn:pulumi:dev::golden::gold:index:Thing::gone'
const providerUrn = 'urn:pulumi:dev::golden::pulumi:providers:gold::default'

/** States that are readable, but break a rule of states. Each message names the resource. */
export const integrityDamages: readonly StateDamage[] = [
  createDeploymentDamage(
    'with a duplicate URN',
    'STATE_INTEGRITY',
    `duplicate resource '${thingUrn}'`,
    state => ({
      ...state,
      resources: [...state.resources, thingOf(state)],
    }),
  ),
  createDeploymentDamage(
    'with a cycle of two dependencies',
    'STATE_INTEGRITY',
    describeLater('dependency', `${thingUrn}2`),
    state => ({
      ...state,
      resources: state.resources.flatMap(item =>
        item.urn === thingUrn
          ? [
              { ...item, dependencies: [`${thingUrn}2`] },
              { ...item, urn: `${thingUrn}2`, id: 'a-2', dependencies: [thingUrn] },
            ]
          : [item],
      ),
    }),
  ),
  createResourceDamage(
    'with a dependency on itself',
    'STATE_INTEGRITY',
    describeLater('dependency', thingUrn),
    {
      dependencies: [thingUrn],
    },
  ),
  createResourceDamage(
    'with itself as parent',
    'STATE_INTEGRITY',
    describeLater('parent', thingUrn),
    {
      parent: thingUrn,
    },
  ),
  createResourceDamage(
    'with a missing dependency',
    'STATE_INTEGRITY',
    describeMissing('dependency'),
    {
      dependencies: [gone],
    },
  ),
  createResourceDamage(
    'with a missing property dependency',
    'STATE_INTEGRITY',
    describeMissing('property dependency'),
    {
      propertyDependencies: { value: [gone] },
    },
  ),
  createResourceDamage('with a missing parent', 'STATE_INTEGRITY', describeMissing('parent'), {
    parent: gone,
  }),
  createResourceDamage(
    'with a missing deletedWith',
    'STATE_INTEGRITY',
    describeMissing('deletedWith'),
    {
      deletedWith: gone,
    },
  ),
  createResourceDamage(
    'with a missing replaceWith',
    'STATE_INTEGRITY',
    describeMissing('replaceWith'),
    {
      replaceWith: [gone],
    },
  ),
  createResourceDamage(
    'with a provider that is gone',
    'STATE_INTEGRITY',
    `${thingUrn}' refers to the unknown provider`,
    {
      provider: `${providerUrn}::gone`,
    },
  ),
  createResourceDamage(
    'with a malformed provider',
    'STATE_INTEGRITY',
    `${thingUrn}': 'nonsense' is not a provider`,
    {
      provider: 'nonsense',
    },
  ),
  createResourceDamage(
    'with a resource as provider',
    'STATE_INTEGRITY',
    `${thingUrn}': '${thingUrn}::a-1' is not`,
    {
      provider: `${thingUrn}::a-1`,
    },
  ),
  createDeploymentDamage(
    'with another manifest',
    'STATE_INTEGRITY',
    'magic of the manifest',
    state => ({
      ...state,
      manifest: { ...state.manifest, version: 'v1.2.3' },
    }),
  ),
]

/** States with values or secrets that no command can read. */
export const valueDamages: readonly StateDamage[] = [
  createValueDamage('with an unknown signature', /urn:pulumi:dev.*unknown signature/, text =>
    text.replaceAll('1b47061264138c4ac30d75fd1eb44270', '1b47061264138c4ac30d75fd1eb44271'),
  ),
  createSecretDamage('with a ciphertext that is a number', `${thingUrn} is malformed`, text =>
    text.replace(/"ciphertext": "v1:BdjZ[^"]*"/, '"ciphertext": 5'),
  ),
  createSecretDamage('with a secret without ciphertext', `${thingUrn} is malformed`, text =>
    text.replace('"ciphertext": "v1:BdjZ', '"cipher": "v1:BdjZ'),
  ),
  createSecretDamage('with a salt that is missing', 'no salt', text =>
    text.replace(/"salt": "[^"]*"/, ''),
  ),
  createDeploymentDamage(
    'with an unknown secrets manager',
    'SECRETS_MANAGER_UNSUPPORTED',
    "'vaulted'",
    state => ({
      ...state,
      secrets_providers: { type: 'vaulted' },
    }),
  ),
]

/** Damages that only the secrets manager of the state finds. */
export const ciphertextDamages: readonly StateDamage[] = [
  createSecretDamage('with a tampered ciphertext', `${thingUrn} is malformed`, text =>
    text.replace('xhXFQ/oA0', 'xhXFQ/oB0'),
  ),
  createSecretDamage('with a malformed ciphertext', `${thingUrn} is malformed`, text =>
    text.replace('v1:BdjZvDDAD46QnVyP:', 'v1:'),
  ),
  createSecretDamage('with a malformed salt', 'v1:<salt>:<check>', text =>
    text.replace(/"salt": "[^"]*"/, '"salt": "v9:x"'),
  ),
  {
    what: 'with the salt of another passphrase',
    damage: text => text.replace('"salt": "v1:bZ', '"salt": "v1:aZ'),
    code: 'SECRETS_PASSPHRASE_WRONG',
    pattern: /incorrect passphrase|passphrase does not open/,
  },
  createDeploymentDamage(
    'of a service without a login',
    'SECRETS_CREDENTIALS_MISSING',
    closedAddress,
    state => ({
      ...state,
      secrets_providers: {
        type: 'service',
        state: { url: closedAddress, owner: 'o', project: 'p', stack: 's' },
      },
    }),
  ),
]

/** Damages that an import refuses, and that a deployment reports as a warning. */
export const foreignDamages: readonly StateDamage[] = [
  ['stack', 'dev::golden', 'prod::golden'],
  ['project', 'dev::golden', 'dev::silver'],
].map(([kind, before = '', after]) => ({
  what: `of another ${kind}`,
  damage: text => text.replaceAll(`pulumi:${before}::`, `pulumi:${after}::`),
  code: 'STATE_FOREIGN',
  pattern: `urn:pulumi:${after}::pulumi:pulumi:Stack::golden-dev does not belong to stack 'dev'`,
}))

/** Compressed checkpoints that are damaged. The suffix is that of the key of the object. */
export const compressedDamages: readonly (StateDamage & { readonly suffix: string })[] = [
  createCompressionDamage('flipped in gzip', text => {
    const bytes = gzipSync(text)
    const middle = bytes.length >> 1
    bytes.writeUInt8(bytes.readUInt8(middle) ^ 4, middle)
    return bytes
  }),
  createCompressionDamage('truncated in gzip', text => gzipSync(text).subarray(0, 300)),
  createCompressionDamage('continued after gzip', text =>
    Buffer.concat([gzipSync(text), Buffer.from('x')]),
  ),
]

function describeMalformed(field: string): string {
  return `malformed at 'resources.2.${field}' of ${thingUrn}`
}

function describeLater(relation: string, urn: string): string {
  return `resource '${thingUrn}': its ${relation} '${urn}' comes after it`
}

function describeMissing(relation: string): string {
  return `resource '${thingUrn}': its ${relation} '${gone}' is missing`
}
