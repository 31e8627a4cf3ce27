import { describe, expect, test } from 'vitest'
import {
  sourceAddressOf,
  archiveUrlOf,
  assetNameOf,
  parsePluginSource,
  type PluginRequest,
} from './plugin-address.ts'
import { hideCredentials } from './hide-credentials.ts'
import { pluginSourcesOf } from './plugin-sources.ts'

const createRequest = (name: string, downloadUrl = '', kind = 'resource'): PluginRequest => ({
  kind,
  name,
  version: '1.2.3-beta.1+build',
  downloadUrl,
  checksums: new Map(),
})

const machine = { os: 'linux', arch: 'arm64' }
const fallbackUrl = 'https://get.pulumi.com/releases/plugins'

describe('the sources of a plugin', () => {
  test.each([
    ['random', '', '', ['github://api.github.com/pulumi/pulumi-random', fallbackUrl]],
    ['scaleway', '', '', ['github://api.github.com/pulumiverse/pulumi-scaleway']],
    ['acme2', 'https://a.example/x', '', ['https://a.example/x']],
    ['a', 'github://api.github.com/me', '', ['github://api.github.com/me/pulumi-a']],
    ['a', 'github://git.example/me/there', '', ['github://git.example/me/there']],
    ['a', 'gitlab://gitlab.com/42', '', ['gitlab://gitlab.com/42']],
    ['a', 'https://old/p', '^https://old=http://new', ['http://new/']],
    [
      'a',
      'github://api.github.com/me/there',
      '^x=http://no,^github://api.github.com/(?P<org>[^/]+)/(?P<repo>[^/]+)=https://m/${org}/$2',
      ['https://m/me/there'],
    ],
    ['random', '', 'pulumi-random=http://mine', ['http://mine/']],
    [
      'random',
      '',
      '^https://get=http://mine',
      ['github://api.github.com/pulumi/pulumi-random', 'http://mine/'],
    ],
  ])('for %s with the address %j and the overrides %j are %j', (name, url, overrides, expected) => {
    expect(pluginSourcesOf(createRequest(name, url), overrides).map(sourceAddressOf)).toEqual(
      expected,
    )
  })

  test.each([
    ['converter', 'terraform', 'pulumi-converter-terraform'],
    ['converter', 'yaml', 'pulumi-yaml'],
    ['tool', 'cloud', 'pulumi-tool-cloud'],
    ['tool', 'pulumi-tool-cloud', 'pulumi-pulumi-tool-cloud'],
    ['language', 'yaml', 'pulumi-yaml'],
  ])('the repository of a %s plugin %s is %s', (kind, name, repository) => {
    expect(parsePluginSource('github://api.github.com/pulumi', { kind, name })).toMatchObject({
      repository,
    })
  })

  test.each([
    ['nothing', 'is not a valid address'],
    ['ftp://a/b', 'unsupported scheme'],
    ['github://api.github.com', 'github://<host>/<organization>'],
    ['github://api.github.com/a/b/c', 'github://<host>/<organization>'],
    ['gitlab://gitlab.com/', 'gitlab://<host>/<project id>'],
  ])('%s is refused: %s', (address, problem) => {
    expect(() => pluginSourcesOf(createRequest('a', address), '')).toThrow(problem)
  })

  test.each(['a', 'a=b=c', '=b', 'a=', '(=b'])('overrides %j are refused', overrides => {
    expect(() => pluginSourcesOf(createRequest('a'), overrides)).toThrow(
      'PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES',
    )
  })
})

describe('the address of an archive', () => {
  const asset = 'pulumi-resource-a-v1.2.3-beta.1%2Bbuild-linux-arm64.tar.gz'
  test.each([
    ['https://x.example', `https://x.example/${asset}`],
    ['https://x.example/p/', `https://x.example/p/${asset}`],
    [
      'https://x.example/${NAME}/v${VERSION}/${OS}/${ARCH}',
      `https://x.example/a/v1.2.3-beta.1%2Bbuild/linux/arm64/${asset}`,
    ],
  ])('of the source %s is %s', (url, expected) => {
    const source = parsePluginSource(url, createRequest('a'))
    expect(source.kind === 'http' && archiveUrlOf(source.url, createRequest('a'), machine)).toBe(
      expected,
    )
  })

  test('contains the published name', () => {
    expect(assetNameOf({ kind: 'tool', name: 'x', version: '1.0.0' }, machine)).toBe(
      'pulumi-tool-x-v1.0.0-linux-arm64.tar.gz',
    )
  })

  test('is shown without credentials', () => {
    expect(hideCredentials('https://me:secret@x.example/p')).toBe('https://x.example/p')
  })
})
