import { afterEach, expect, test } from 'vitest'
import { DiffResponse } from '../../../proto/gen/pulumi/provider.ts'
import { createCliBench } from '../../integration/cli/cli-bench.ts'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { editStackResources, findResource, resourceOpsOf } from '../stack-states.ts'
import { createEngines, createThings } from '../register-thing.ts'

const engines = createEngines()
const pluginEngines = createPluginEngines()
afterEach(async () => {
  await engines.close()
  await pluginEngines.close()
})

const secretKey = '4dabf18193072939515e22adb298388d'

test('TestConfigSecrets: a secret setting is secret in the state of the provider', async () => {
  const engine = await engines.open(createCloud())
  const config = new Map([['test:password', { text: 'hunter2', isSecret: true, isObject: false }]])
  const testRun = await engine.run(createThings({ a: {} }), { config })
  expect(testRun.result.result).toBe('succeeded')
  const provider = testRun.state.resources?.find(({ type }) => type === 'pulumi:providers:test')
  const sealed = { password: { [secretKey]: expect.any(String), ciphertext: expect.any(String) } }
  expect(provider).toMatchObject({ inputs: sealed, outputs: sealed })
  expect(JSON.stringify([testRun.events, testRun.state])).not.toContain('hunter2')
})

test('TestBrokenDecrypter: a setting that cannot be decrypted causes one error before anything runs', async () => {
  const bench = createCliBench()
  await bench.run('stack', 'init', 'dev')
  await bench.run('config', 'set', '--secret', 'foo:bar', 'hunter2')
  expect((await bench.run('up', '-y', '-f')).exit).toBe(0)
  expect(bench.requests).toHaveLength(1)
  const file = bench.read('Pulumi.dev.yaml')
  bench.write('Pulumi.dev.yaml', file.replace(/secure: .*/, 'secure: v1:x'))
  const { exit, err } = await bench.run('up', '-y', '-f')
  expect(exit).not.toBe(0)
  expect(err.match(/^error.*$/gm)).toEqual([
    expect.stringMatching(/^error\[SECRETS_MALFORMED\].*'foo:bar': decryption failed$/),
  ])
  expect(bench.requests).toHaveLength(1)
})

test('TestProviderDiffMissingOldOutputs: a provider without outputs is compared by its inputs', async () => {
  const cloud = createCloud()
  const { run, ...engine } = await pluginEngines.open(cloud, () => ({
    diffConfig: ({ olds, news }: { olds?: object; news?: object }) => {
      const isOther = JSON.stringify(olds) !== JSON.stringify(news)
      return DiffResponse.create({
        changes: isOther ? 2 : 1,
        replaces: isOther ? Object.keys(news ?? {}) : [],
      })
    },
  }))
  const program: Program = async monitor => {
    await monitor.register({ type: 'pkgA:m:typA', name: 'a', custom: true, object: {} })
  }
  const configureFoo = (foo: string) => ({ configTexts: { 'pkgA:foo': { text: foo } } })
  const removeOutputs = () =>
    editStackResources({ ...engine, run }, ({ outputs, ...resource }) =>
      resource.type === 'pulumi:providers:pkgA'
        ? [resource]
        : [outputs === undefined ? resource : { ...resource, outputs }],
    )
  await run(program, configureFoo('bar'))
  await removeOutputs()
  const same = await run(program, configureFoo('bar'))
  expect(resourceOpsOf(same.events, 'a')).toEqual(['same'])
  expect(findResource(same.state, 'default')).toMatchObject({ outputs: { foo: 'bar' } })
  await removeOutputs()
  const testRun = await run(program, configureFoo('baz'))
  expect(testRun.result.result).toBe('succeeded')
  expect(resourceOpsOf(testRun.events, 'a')).toEqual([
    'create-replacement',
    'replace',
    'delete-replaced',
  ])
  const replaced = findResource(testRun.state, 'default')
  expect(replaced).toMatchObject({ outputs: { foo: 'baz' } })
  expect(replaced?.['id']).not.toBe(findResource(same.state, 'default')?.['id'])
})
