import { describe, expect, test } from 'vitest'
import { explainRegistryRefusal } from './explain-registry-refusal.ts'
import type { PackageRegistry } from './package-registry.ts'

const npm: PackageRegistry = {
  manager: 'npm',
  name: 'corp',
  address: 'https://npm.test/corp',
  scope: '@corp',
  runsScripts: false,
}
const pip = { manager: 'pip', name: 'python', address: 'https://pip.test/simple' } as const
const archive = 'https://npm.test/corp/@corp/dep/-/dep-1.0.0.tgz'

describe('a refusal by a registry that is not stored', () => {
  test.each([
    ['npm', `npm http fetch GET 401 ${archive} 8ms`, 401, 'https://npm.test/corp/ --scope @corp'],
    ['npm', `npm error 403 403 Forbidden - GET ${archive} - no`, 403, '/corp/ --scope @corp'],
    ['npm', 'http fetch GET 404 https://npm.test/@corp%2fdep 1ms', 404, 'test/ --scope @corp'],
    ['npm', `GET https://npm.test/dep: Unauthorized - 401`, 401, 'set <name> https://npm.test/`'],
    ['npm', `"https://npm.test/dep/-/dep-1.tgz: Request failed \\"401 x\\""`, 401, 'npm.test/`'],
    [
      'pip',
      '401 Client Error: x for url: https://pip.test/simple/dep/ - skipping',
      401,
      '--manager',
    ],
    ['pip', '403 Client Error: x for url: https://files.test/dep.whl', 403, '<name> <address> --'],
  ] as const)('names the URL and the command for %s: %s', (manager, line, status, args) => {
    const refusal = explainRegistryRefusal(`first\n${line}\nlast`, manager, [])
    expect(refusal?.message).toContain(`answered with status ${status} for https://`)
    expect(refusal?.hint).toContain('ANTICHAIN_CREDENTIAL')
    expect(refusal?.hint).toContain(args)
  })

  test.each(['https://npm.test/a;reboot;/p', 'https://npm.test/$(reboot)/p'])(
    'names no address that acts on a shell: %s',
    url => {
      const refusal = explainRegistryRefusal(`npm http fetch GET 401 ${url} 8ms`, 'npm', [])
      expect(refusal?.hint).toContain('`antichain registry set <name> <address>`')
    },
  )

  test('shows no credential of its URL', () => {
    const line = 'npm http fetch GET 401 https://user:pass-word@npm.test/dep?token=t0ken 8ms'
    const refusal = JSON.stringify(explainRegistryRefusal(line, 'npm', []))
    expect(refusal).toContain('for https://npm.test/dep"')
    expect(refusal).not.toMatch(/pass-word|t0ken/)
  })
})

test('a stored registry is named, and the command repeats its settings', () => {
  const line = `npm http fetch GET 401 ${archive} 8ms`
  const registries = [{ ...npm, credential: 'old', runsScripts: true }]
  expect(explainRegistryRefusal(line, 'npm', registries)).toEqual({
    message: `the package registry corp (${npm.address}) answered with status 401 for ${archive}`,
    hint: `Let an administrator set ANTICHAIN_CREDENTIAL to a valid token, and run \`antichain registry set corp ${npm.address} --scope @corp --run-scripts\`.`,
  })
})

test('a stored registry without a credential needs one', () => {
  const line = '401 Client Error: Unauthorized for url: https://pip.test/simple/dep/'
  const { hint } = explainRegistryRefusal(line, 'pip', [{ ...pip, runsScripts: false }]) ?? {}
  expect(hint).toContain('ANTICHAIN_CREDENTIAL to its token')
  expect(hint).toContain('registry set python https://pip.test/simple --manager pip')
})

test('of several refusals, that of a credential is explained, and not a missing package', () => {
  const output = [401, 404].map(
    status => `${status} Client Error: x for url: https://pip${status}.test/simple/dep/`,
  )
  expect(explainRegistryRefusal(output.join('\n'), 'pip', [])?.message).toContain('pip401.test')
})

test.each([
  'npm http fetch GET 200 https://npm.test/dep/-/dep-401.0.0.tgz 401ms',
  'npm error code E401',
  'ERROR: No matching distribution found for dep==1.0',
  '',
])('an output without a refused URL is not explained: %s', output => {
  expect(explainRegistryRefusal(output, 'npm', [npm])).toBeUndefined()
})
