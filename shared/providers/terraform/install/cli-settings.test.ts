import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CliSettings, readCliSettings } from './cli-settings.ts'

let home: string
const warnings: string[] = []

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tf-settings-'))
})

afterEach(() => rmSync(home, { recursive: true }))

function read(
  files: Readonly<Record<string, string>>,
  env: Record<string, string> = {},
): CliSettings {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(home, name, '..'), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  return readCliSettings({ env, home, report: (_severity, text) => warnings.push(text) })
}

describe('settings of the command line', () => {
  test('have all installation methods in their order', () => {
    const { methods, developmentFolders } = read({
      '.terraformrc': `provider_installation {
        dev_overrides { "acme/thing" = "/built" }
        network_mirror { url = "https://mirror.example.com/a" include = ["acme/*"] }
        filesystem_mirror { path = "/mirror" }
        direct {}
      }`,
    })
    expect(methods?.map(({ kind }) => kind)).toEqual(['mirror', 'folder', 'registry'])
    expect(methods?.[0]).toMatchObject({ url: 'https://mirror.example.com/a/' })
    expect(developmentFolders).toEqual(new Map([['registry.opentofu.org/acme/thing', '/built']]))
  })

  test('have the same meaning in JSON', () => {
    const settings = read({
      '.terraformrc': JSON.stringify({
        provider_installation: [{ filesystem_mirror: [{ path: '/mirror' }], direct: [{}] }],
        host: { 'b.example.com': { services: { 'providers.v1': 'https://c.example.com/p/' } } },
      }),
      '.terraform.d/credentials.tfrc.json': '{"credentials": {"a.example.com": {"token": "t"}}}',
    })
    expect(settings.methods?.map(({ kind }) => kind)).toEqual(['folder', 'registry'])
    expect(settings.tokens).toEqual(new Map([['a.example.com', 't']]))
    expect(settings.registries).toEqual(new Map([['b.example.com', 'https://c.example.com/p/']]))
  })

  test('come from the chosen file only, and variables take precedence over them', () => {
    // `constructor` is a field of all objects, but no variable of the environment.
    const settings = read(
      {
        '.terraformrc': 'credentials "ignored.example.com" { token = "x" }',
        chosen: `plugin_cache_dir = "$HOME$constructor/cache"
          credentials "my-host.example.com" { token = "file" }`,
      },
      { TF_CLI_CONFIG_FILE: join(home, 'chosen'), TF_TOKEN_my__host_example_com: 'variable' },
    )
    expect(settings.cacheFolder).toBe(join(home, 'cache'))
    expect(settings.tokens).toEqual(new Map([['my-host.example.com', 'variable']]))
  })

  test('prefer the file of OpenTofu', () => {
    const settings = read({
      '.tofurc': 'plugin_cache_dir = "~/tofu"',
      '.terraformrc': 'plugin_cache_dir = "~/terraform"',
    })
    expect(settings.cacheFolder).toBe(join(home, 'tofu'))
  })

  test('are empty without files', () => {
    expect(read({})).toMatchObject({ methods: undefined, cacheFolder: undefined })
  })

  test.each([
    ['provider_installation { direct {} dev_overrides {} }', 'must be the first method'],
    ['provider_installation { other {} }', "the installation method 'other' is unknown"],
    ['provider_installation { filesystem_mirror {} }', "'filesystem_mirror', 'path'"],
    ['provider_installation { network_mirror { url = "http://a" } }', 'with https'],
    ['provider_installation { oci_mirror {} }', "'oci_mirror' is not supported"],
    ['provider_installation {} provider_installation {}', 'a second'],
    ['provider_installation { direct { include = ["*/a"] } }', "'*/a' is not a pattern"],
  ])('%s is refused', (text, problem) => {
    expect(() => read({ '.terraformrc': text })).toThrow(problem)
  })

  test('report a chosen file that is missing, and have the tokens of a login', () => {
    const credentials = '{"credentials": {"a.example.com": {"token": "t"}}}'
    const settings = read(
      { '.terraform.d/credentials.tfrc.json': credentials },
      { TF_CLI_CONFIG_FILE: join(home, 'none') },
    )
    expect(settings.tokens).toEqual(new Map([['a.example.com', 't']]))
    expect(warnings).toEqual([`the settings file ${join(home, 'none')} does not exist`])
  })
})
