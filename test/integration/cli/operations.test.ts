import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type CliBench, changedResult, createCliBench } from './cli-bench.ts'

let bench: CliBench

beforeEach(async () => {
  bench = createCliBench()
  await bench.run('stack', 'init', 'dev')
})

describe('operations', () => {
  test('up previews, prompts at a terminal, and deploys', async () => {
    bench.isTerminal = true
    bench.answers.push('details', 'yes')
    expect((await bench.run('up', '-m', 'note', '-p', '3', '--refresh')).exit).toBe(0)
    expect(bench.requests.map(({ dryRun }) => dryRun)).toEqual([true, false])
    expect(bench.requests[1]).toMatchObject({
      stack: 'organization/site/dev',
      source: { name: 'site', projectFolder: bench.root, entryPoint: '.', runtime: 'nodejs' },
      options: { command: 'up', parallel: 3, refresh: true, message: 'note' },
      wait: false,
    })
    expect(bench.displays.map(({ dryRun, diff }) => [dryRun, diff])).toEqual([
      [true, false],
      [true, true],
      [false, false],
    ])
  })

  test('the answer `no` changes nothing', async () => {
    bench.isTerminal = true
    bench.answers.push('no')
    expect((await bench.run('up')).err).toMatch(/CONFIRMATION_DECLINED/)
    expect(bench.requests).toHaveLength(1)
  })

  test('without a terminal --yes is required', async () => {
    expect(await bench.run('up')).toMatchObject({ exit: 2, err: expect.stringContaining('--yes') })
    bench.isTerminal = true
    expect((await bench.run('up', '--non-interactive')).exit).toBe(2)
    expect((await bench.run('up', '--skip-preview')).exit).toBe(0)
    expect(bench.requests).toHaveLength(1)
  })

  test('--json prints only events on stdout', async () => {
    const { exit, out } = await bench.run('up', '-y', '--skip-preview', '--json', '--stack', 'dev')
    expect(exit).toBe(0)
    expect(out).toBe('{"preludeEvent":{"config":{}}}\n')
  })

  test('preview --json prints events if streaming is on, otherwise one document', async () => {
    await bench.run('preview', '--json')
    expect(bench.displays.at(-1)).toMatchObject({ json: true, digest: true, dryRun: true })
    bench.env['PULUMI_ENABLE_STREAMING_JSON_PREVIEW'] = 'true'
    expect((await bench.run('preview', '--json')).out).toMatch(/^\{/)
    expect(bench.displays.at(-1)).toMatchObject({ json: true, digest: false })
    expect((await bench.run('preview', '-y')).err).toMatch(/CLI_USAGE.*'-y'/)
    expect(bench.requests.map(({ dryRun }) => dryRun)).toEqual([true, true])
  })

  test('refresh and destroy pass on their own options', async () => {
    await bench.run('refresh', '-y', '-f', '--clear-pending-creates')
    await bench.run('refresh', '--preview-only')
    await bench.run('destroy', '-y', '-f', '--continue-on-error', '--wait')
    expect(bench.requests).toMatchObject([
      { options: { command: 'refresh' }, pendingCreates: { mustClearOthers: true }, dryRun: false },
      { options: { command: 'refresh' }, dryRun: true },
      { options: { command: 'destroy', continueOnError: true }, wait: true },
    ])
    expect((await bench.run('refresh', '--preview-only', '-f')).exit).toBe(1)
  })

  test('the display says that the option of the project refreshes the resources first', async () => {
    const showsRefresh = async (...args: readonly string[]) => {
      await bench.run('destroy', '-y', '-f', ...args)
      return bench.displays.at(-1)?.refreshesFirst
    }
    expect(await showsRefresh()).toBe(false)
    appendFileSync(join(bench.root, 'Pulumi.yaml'), '\noptions:\n  refresh: always\n')
    expect(await showsRefresh()).toBe(true)
    expect(await showsRefresh('--refresh=false')).toBe(false)
    expect(bench.requests.map(({ options }) => options.refresh)).toEqual([false, true, false])
  })

  test('refresh --import-pending-creates takes URNs and ids as single values, or in a list with commas', async () => {
    const [a, b] = ['urn:pulumi:dev::p::a:b:C::a,x', 'urn:pulumi:dev::p::a:b:C::b']
    const importArgs = (...values: readonly string[]) =>
      values.flatMap(value => ['--import-pending-creates', value])
    await bench.run(
      'refresh',
      '-y',
      '-f',
      ...importArgs(a, 'id,1', b, 'id-2'),
      '--skip-pending-creates',
    )
    await bench.run('refresh', '-y', '-f', ...importArgs(`${b},id-2,${b}x,id-3`))
    const existing = bench.requests.map(({ pendingCreates }) => [...pendingCreates.existingIds])
    expect(existing).toEqual([
      [
        [a, 'id,1'],
        [b, 'id-2'],
      ],
      [
        [b, 'id-2'],
        [`${b}x`, 'id-3'],
      ],
    ])
    const odd = await bench.run('refresh', '-y', '-f', ...importArgs(b))
    expect([odd.exit, odd.err]).toEqual([1, expect.stringMatching(/CLI_USAGE.*takes pairs/)])
    const both = ['--skip-pending-creates', '--clear-pending-creates']
    expect((await bench.run('refresh', '-y', '-f', ...both)).err).toMatch(/CLI_USAGE/)
  })

  test('exit codes are those of Pulumi', async () => {
    const runWithResult = async (result: object, ...args: readonly string[]): Promise<number> => {
      bench.results.splice(0, 1, { ...changedResult, ...result })
      return (await bench.run('up', '-y', '-f', ...args)).exit
    }
    expect(await runWithResult({ result: 'failed' })).toBe(1)
    expect(await runWithResult({ result: 'cancelled' })).toBe(8)
    expect(await runWithResult({}, '--expect-no-changes')).toBe(7)
    expect(await runWithResult({ hasChanges: false }, '--expect-no-changes')).toBe(0)
    bench.busyStacks.add('organization/site/dev' as never)
    expect((await bench.run('up', '-y', '-f')).err).toMatch(/^error\[STACK_BUSY\].*ann/)
  })

  test('one Ctrl-C cancels a deployment, and a second one abandons its running operations', async () => {
    bench.results.splice(0, 1, { ...changedResult, result: 'interrupted' })
    bench.interruptCount = 2
    expect((await bench.run('up', '-y', '-f')).exit).toBe(8)
    expect(bench.calls.slice(-3)).toEqual(['cancel', 'terminate', 'closed'])
  })

  test('-c sets values for this run and stores them', async () => {
    await bench.run('up', '-y', '-f', '-c', 'a=1=2', '-c', 'aws:region=eu')
    await bench.run('up', '-y', '-f', '--config-path', '-c', 'o.list[0]=7')
    expect(bench.requests[1]?.config).toEqual(
      new Map([
        ['site:a', { text: '1=2', isSecret: false, isObject: false }],
        ['aws:region', { text: 'eu', isSecret: false, isObject: false }],
        ['site:o', { text: '{"list":[7]}', isSecret: false, isObject: true }],
      ]),
    )
    expect(bench.read('Pulumi.dev.yaml')).toContain('aws:region: eu')
  })

  test.each([['--skip-preview'], ['--json']])(
    '--strict with %s is refused before -c values are stored',
    async option => {
      const before = bench.read('Pulumi.dev.yaml')
      const { exit, err } = await bench.run('up', '-y', '--strict', option, '-c', 'late=1')
      expect([exit, err]).toEqual([1, expect.stringContaining('--strict requires a preview')])
      expect(bench.read('Pulumi.dev.yaml')).toBe(before)
    },
  )

  test('missing configuration stops an update, not a destroy', async () => {
    bench.write('Pulumi.yaml', 'name: site\nruntime: nodejs\nconfig: {size: {type: integer}}\n')
    expect((await bench.run('up', '-y', '-f')).err).toMatch(/CONFIG_MISSING.*'size'/)
    expect((await bench.run('destroy', '-y', '-f')).exit).toBe(0)
  })

  test('a wrong passphrase has exit code 1', async () => {
    bench.env['PULUMI_CONFIG_PASSPHRASE'] = 'wrong'
    expect((await bench.run('up', '-y')).exit).toBe(1)
    expect(bench.requests).toEqual([])
  })

  test('an option of Pulumi that is not supported is refused by name', async () => {
    for (const args of [
      ['up', '--tracing', 'file:x'],
      ['up', '--show-policy-exceptions'],
      ['destroy', '--remote'],
      ['convert', '--language', 'pcl', '--mappings', 'x'],
      ['import', '--from', 'cloudformation', 'x'],
    ]) {
      const { exit, err } = await bench.run(...args)
      expect([exit, err.split(':')[0]], args.join(' ')).toEqual([1, 'error[FEATURE_MISSING]'])
    }
    expect(bench.requests).toEqual([])
  })

  test('targets and excludes are passed on unchanged', async () => {
    const targetArgs = ['-t', 'urn:a', '--target', '**b', '--target-replace', 'urn:c']
    expect((await bench.run('up', '-y', '--skip-preview', ...targetArgs)).exit).toBe(0)
    expect(bench.requests[0]?.options.targeting).toMatchObject({
      targets: ['urn:a', '**b', 'urn:c'],
      replaces: ['urn:c'],
    })
    const exclusions = ['-x', 'urn:a', '--exclude-protected']
    expect((await bench.run('destroy', '-y', '--skip-preview', ...exclusions)).exit).toBe(0)
    expect(bench.requests[1]?.options.targeting).toMatchObject({
      excludes: ['urn:a'],
      excludeProtected: true,
    })
    const both = await bench.run('refresh', '-y', '-t', 'urn:a', '-x', 'urn:b')
    expect([both.exit, both.err]).toMatchObject([1, expect.stringContaining('used together')])
    for (const option of ['--exclude-dependents', '--expect-no-changes'])
      expect((await bench.run('destroy', '-y', option)).exit).toBe(1)
  })

  test('an invalid command line has exit code 1, one error and no stack trace', async () => {
    for (const args of [['up', '--bogus'], ['nonsense'], ['stack', 'nonsense'], ['up', 'extra']]) {
      const { exit, err } = await bench.run(...args)
      expect([exit, err.split('\n').length], args.join(' ')).toEqual([1, 3])
      expect(err).toMatch(/^error\[CLI_USAGE\]: /)
    }
    expect((await bench.run('up', '-p', 'many', '-y')).exit).toBe(1)
    // The clients of the Automation API look for the first words.
    expect((await bench.run('stack', 'ls', '--color', 'grey')).err).toContain(
      "unsupported color option: 'grey'. Supported values are: always, never, raw, auto",
    )
    expect((await bench.run('stack', 'ls', '--color', 'raw')).exit).toBe(0)
    expect((await bench.run('up', '--bogus', '-v', '3')).err).toContain('    at ')
    // The arguments after `--` belong to another program, so the number there is an argument.
    expect((await bench.run('up', '--', '-v', '3')).err).toMatch(/^error\[CLI_USAGE\]: .*\b2\b/)
    const { err } = await bench.run('gen-completion', 'constructor')
    expect(err).toContain("there is no completion for the shell 'constructor'")
  })

  test('help and version print on stdout without opening the store', async () => {
    const before = bench.calls.length
    expect((await bench.run('--help')).out).toContain('destroy')
    expect((await bench.run('up', '--help')).out).not.toContain('--show-policy-exceptions')
    expect((await bench.run('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(bench.calls).toHaveLength(before)
  })

  test('-C runs a command in another folder, and a missing project is reported', async () => {
    bench.write('sub/Pulumi.yaml', 'name: other\n')
    expect((await bench.run('-C', 'sub', 'stack', 'init', 'dev')).exit).toBe(0)
    expect((await bench.run('up', '-y', '-C', 'sub')).exit).toBe(0)
    expect(bench.requests[0]?.source.name).toBe('other')
    expect(await bench.run('-C', '/', 'up', '-y')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('PROJECT_NOT_FOUND'),
    })
  })
})

describe('configuration', () => {
  test('set and rm change the stack file, and get and ls show its values', async () => {
    await bench.run('config', 'set', 'plain', 'text')
    await bench.run('config', 'set', '--secret', 'hidden', 's3cret')
    await bench.run('config', 'set', '--path', 'm.open', '1')
    await bench.run('config', 'set', '--path', '--secret', 'm.shut', '2')
    bench.answers.push('piped\n')
    await bench.run('config', 'set', 'other:k')
    expect(bench.read('Pulumi.dev.yaml')).not.toContain('s3cret\n')
    expect((await bench.run('config', 'get', 'hidden')).out).toBe('s3cret\n')
    expect((await bench.run('config', 'get', '--path', 'm.shut')).out).toBe('2\n')
    expect((await bench.run('config', 'get', 'other:k')).out).toBe('piped\n')
    expect((await bench.run('config')).out).toBe(
      `KEY      VALUE
other:k  piped
hidden   [secret]
m        {"open":1,"shut":"[secret]"}
plain    text
`,
    )
    expect(JSON.parse((await bench.run('config', '--json', '--show-secrets')).out)).toMatchObject({
      'site:hidden': { value: 's3cret', secret: true },
      'site:m': { objectValue: { open: 1, shut: '2' }, secret: true },
    })
    expect(JSON.parse((await bench.run('config', 'ls', '--json')).out)).toMatchObject({
      'site:hidden': { secret: true },
    })
    await bench.run('config', 'rm', 'other:k')
    expect(await bench.run('config', 'get', 'other:k')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('CONFIG_MISSING'),
    })
  })
})
