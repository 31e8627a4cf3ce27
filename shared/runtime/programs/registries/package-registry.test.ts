import { expect, test } from 'vitest'
import { packageRegistryDraft } from './package-registry.ts'
import { createNpmSettings, createPipSettings } from './registry-settings.ts'

const npm = {
  manager: 'npm',
  address: 'https://npm.test/corp',
  name: 'corp',
  runsScripts: false,
} as const
const pip = { ...npm, manager: 'pip', address: 'https://pip.test/simple' } as const

test('npm sends a token or a password below the address of the registry only', () => {
  const registries = [
    { ...npm, scope: '@corp', credential: 't0ken#1' },
    { ...npm, address: 'https://all.test:8443/', credential: 'user:word' },
  ]
  const { homeFiles, secrets } = createNpmSettings(registries)
  expect(homeFiles['npm_config_userconfig']?.text.trim().split('\n')).toEqual([
    '@corp:registry=https://npm.test/corp/',
    '//npm.test/corp/:_authToken="t0ken#1"',
    '//npm.test/corp/:always-auth=true',
    'registry=https://all.test:8443/',
    `//all.test:8443/:_auth="${Buffer.from('user:word').toString('base64')}"`,
    '//all.test:8443/:always-auth=true',
  ])
  expect(secrets).toEqual(['dXNlcjp3b3Jk', 'user:word', 't0ken#1', 'word'])
})

test('the first registry of pip replaces PyPI, further ones are added, and a token has the user `__token__`', () => {
  const registries = [
    { ...pip, credential: 'pypi-"1' },
    { ...pip, address: 'https://other.test/simple' },
  ]
  expect(createPipSettings(registries)).toEqual({
    homeFiles: {
      NETRC: {
        name: '.netrc',
        text: 'machine pip.test login "__token__" password "pypi-\\"1"\n',
      },
    },
    variables: {
      PIP_INDEX_URL: 'https://pip.test/simple',
      PIP_EXTRA_INDEX_URL: 'https://other.test/simple',
    },
    secrets: ['pypi-"1'],
  })
})

test('without registries, package managers get no settings', () => {
  const none = { homeFiles: {}, variables: {}, secrets: [] }
  expect([createNpmSettings([]), createPipSettings([])]).toEqual([none, none])
})

test.each([
  ['a plain http address', { address: 'http://npm.test/' }, 'https://'],
  ['a password in the address', { address: 'https://a:b@npm.test/' }, 'user name'],
  ['another protocol', { address: 'file:///etc' }, 'Invalid URL'],
  ['a line break in the credential', { credential: 'a\nb' }, 'no spaces'],
  ['a scope without @', { scope: 'corp' }, 'scope of npm'],
  ['a scope for pip', { manager: 'pip', scope: '@corp' }, 'only a registry of npm'],
  ['an unknown manager', { manager: 'cargo' }, 'npm'],
  ['an unknown field', { token: 'x' }, 'token'],
])('a registry with %s is refused', (_, fields, message) => {
  const result = packageRegistryDraft.safeParse({
    manager: 'npm',
    address: 'https://npm.test/',
    ...fields,
  })
  expect(JSON.stringify(result.error?.issues)).toContain(message)
})

test('a registry on loopback may use plain http', () => {
  const draft = { manager: 'npm', address: 'http://127.0.0.1:4873/' }
  expect(packageRegistryDraft.safeParse(draft).success).toBe(true)
})
