import { beforeEach, describe, expect, test } from 'vitest'
import { changedResult, type CliBench, createCliBench } from './cli-bench.ts'

let bench: CliBench
beforeEach(async () => {
  bench = createCliBench()
  await bench.run('stack', 'init', 'dev')
})

const args = ['import', '-y', '--skip-preview', 'gold:index:Thing', 'got', 'ext-1']
const group = 'urn:pulumi:dev::site::case:index:Group::g'

describe('import', () => {
  test('imports one resource, protected unless an option disables that', async () => {
    for (const [more, protect] of [
      [[], true],
      [['--protect'], true],
      [['--protect=true'], true],
      [['--protect=false'], false],
      [['--no-protect'], false],
    ] as const) {
      const { exit, err } = await bench.run(...args, ...more)
      expect([exit, err]).toEqual([0, ''])
      expect(bench.requests.at(-1)?.options).toMatchObject({
        command: 'import',
        imports: [{ type: 'gold:index:Thing', name: 'got', id: 'ext-1', parent: '', protect }],
      })
    }
  })

  test('accepts parent, provider and properties', async () => {
    const provider = 'urn:pulumi:dev::site::pulumi:providers:gold::p'
    const more = ['--parent', `g=${group}`, '--provider', `p=${provider}`, '--properties', 'a,b']
    expect((await bench.run(...args, ...more)).exit).toBe(0)
    expect(bench.requests[0]?.options.imports).toMatchObject([
      { parent: group, provider, isChosen: true },
    ])
  })

  test('reports the error of the import, also when the code cannot be generated', async () => {
    let reads = 0
    bench.states.get = () => {
      reads += 1
      throw new Error('the disk is broken')
    }
    bench.results.splice(0, 1, { ...changedResult, result: 'failed' })
    const failed = await bench.run(...args)
    expect(failed.err).toContain('error[DEPLOYMENT_FAILED]')
    expect(failed.err).toContain('no code was generated: the disk is broken')
    bench.results.splice(0, 1, changedResult)
    reads = 0
    const succeeded = await bench.run(...args)
    expect([succeeded.exit > 0, succeeded.err.match(/the disk is broken/g), reads]).toEqual([
      true,
      ['the disk is broken'],
      1,
    ])
  })

  test('accepts a file of resources, without further options', async () => {
    const resources = [
      { type: 'gold:index:Thing', name: 'a', id: '1', parent: 'g' },
      { type: 'case:index:Group', name: 'g', component: true },
    ]
    bench.write('in.json', JSON.stringify({ resources }))
    const file = ['import', '-y', '--skip-preview', '--file', 'in.json']
    expect((await bench.run(...file)).exit).toBe(0)
    expect(bench.requests[0]?.options.imports).toMatchObject([{ parent: group }, { name: 'g' }])
    for (const more of [['a:b:C'], ['--parent', `g=${group}`], ['--properties', 'a']])
      expect((await bench.run(...file, ...more)).err).toContain('may not be specified in conj')
    expect((await bench.run('import', '-y', '-f', 'none.json')).err).toContain('FILE_UNREADABLE')
  })

  test('has nothing to do for an empty file, and reports the place of a malformed value', async () => {
    bench.write('in.json', '{}')
    const { exit, err } = await bench.run('import', '-y', '-f', 'in.json')
    expect([exit, err]).toEqual([0, expect.stringContaining('nothing to import')])
    for (const [text, where] of [
      ['[]', 'in.json: Invalid'],
      ['{"resources":[{"id":1}]}', 'in.json: resources.0.id: Invalid'],
    ] as const) {
      bench.write('in.json', text)
      expect((await bench.run('import', '-y', '-f', 'in.json')).err).toContain(where)
    }
  })

  test('seals secret inputs of a resource in the file', async () => {
    const secret = {
      '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
      plaintext: '"hidden-word"',
    }
    const resource = { type: 'gold:index:Thing', name: 'a', id: '1', inputs: { secret } }
    bench.write('in.json', JSON.stringify({ resources: [resource] }))
    await bench.run('import', '-y', '--skip-preview', '--file', 'in.json')
    const { imports } = bench.requests[0]?.options ?? {}
    expect(imports?.[0]?.inputs).toHaveProperty('secret')
    expect(JSON.stringify(imports)).not.toContain('"\\"hidden-word\\""')
  })

  test('refuses unsupported options by name, and a wrong number of arguments', async () => {
    const { err } = await bench.run('import', '--from', 'cloudformation')
    expect(err).toContain('FEATURE_MISSING')
    for (const few of [[], ['a:b:C'], ['a:b:C', 'x'], ['a:b:C', 'x', 'y', 'z']])
      expect((await bench.run('import', '-y', ...few)).exit).toBe(1)
    expect(bench.requests).toEqual([])
  })

  test('refuses options that do not fit the adoption of a Terraform state', async () => {
    for (const [args, message] of [
      [['--names', 'names.json'], '--names requires --from'],
      [['--from', 'terraform', '.', '--file', 'in.json'], '--file cannot be used together'],
      [['--from', 'terraform', '.', '--parent', 'a=urn:b'], '--parent cannot be used together'],
      [['--from', 'terraform', 'a', 'b'], 'the path of one Terraform state'],
    ] as const) {
      const { exit, err } = await bench.run('import', '-y', ...args)
      expect([exit, err]).toEqual([1, expect.stringContaining(message)])
    }
    const { exit, err } = await bench.run('import', '-y', '--from', 'terraform', '.')
    expect([exit, err]).toEqual([1, expect.stringContaining('has no terraform.tfstate')])
    expect(bench.requests).toEqual([])
  })

  test('adopts nothing from a Terraform state without objects', async () => {
    bench.write('terraform.tfstate', '{"version":4,"resources":[],"outputs":{"url":{"value":"x"}}}')
    const { exit, out } = await bench.run('import', '-y', '--from', 'terraform', '--json')
    expect([exit, JSON.parse(out)]).toMatchObject([
      0,
      { adopted: [], skipped: [{ kind: 'output' }] },
    ])
  })
})
