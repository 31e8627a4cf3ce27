import { afterEach, expect, test } from 'vitest'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'

const engines = createPluginEngines()
afterEach(() => engines.close())

const createBlob = (value: string) => ({
  name: 'pkgExt',
  version: '0.5.0',
  value: Buffer.from(value),
})

test('TestPackageRefSharedBase: registrations of one plugin with different addresses, checksums, parameters or extensions are different packages', async () => {
  const { run } = await engines.open(createCloud())
  const refs: string[] = []
  await run(async monitor => {
    const base = { name: 'pkgA', version: '1.0.0' }
    const sums = new Map([['linux-amd64', Buffer.from('ab', 'hex')]])
    for (const more of [
      {},
      { downloadUrl: 'https://a.example/' },
      { downloadUrl: 'https://a.example' },
      { checksums: sums },
      { parameterization: createBlob('one') },
      { parameterization: createBlob('two') },
      { parameterization: createBlob('two') },
      { extension: createBlob('one') },
      { extension: createBlob('one'), version: '2.0.0' },
      { extension: createBlob('two') },
    ])
      refs.push(await monitor.registerPackage({ ...base, ...more }))
  })
  const [plain, , byUrl, , one, two, twoAgain, extended, extendedOtherVersion, other] = refs
  expect(refs[1]).toBe(byUrl)
  expect(two).toBe(twoAgain)
  expect(extended).toBe(extendedOtherVersion)
  expect(new Set(refs).size).toBe(7)
  for (const ref of [plain, byUrl, one, two]) expect(ref).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
  // SHA-256 of name NUL version NUL value: the name in the states of Pulumi.
  expect(extended).toBe('9386656719d27745355d5e21730eb24ad275ad905f5236766e894d548a781be2')
  expect(other).toMatch(/^[0-9a-f]{64}$/)
})
