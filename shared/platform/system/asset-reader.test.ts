import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashArchive, hashAsset, hashAssets } from '../../values/asset-hash.ts'
import { type Archive, type Asset, type PropertyMap, secretOf } from '../../values/value.ts'
import { emptyArchiveHash, emptyAssetHash } from '../../values/wire-options.ts'
import { createAssetReader } from './asset-reader.ts'

/** An archive of `a.txt` ("one") and `a/x` ("x"), created by GNU tar. */
const packed = Buffer.from(
  'H4sIAAAAAAAAA+3UMQ7DIAyFYY7CCRoTcDgPQ9cipVTK8UuzNUMyuVHU/1s8MNgyei63tjRnS7oppbV229pFFzSKjDFlHZ0E0TE7L8Zz' +
    'rV7PVmbv3Vzr7h6O3i+qPu5nj4ATlcG+xyfhWXUn//Kdf8k5q/NqP9rf578Mi3mP4/sftvc/6MT9/wX73wcAAAAAAAAAAAAAANbeBz90' +
    'eQAoAAA=',
  'base64',
)

let folder = ''
let origin = ''
const server = createServer((request, response) => {
  if (request.url === '/gone') response.writeHead(404).end()
  else response.end(request.url === '/t.tgz?v=1' ? packed : 'hi')
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assets-'))
  const writeTestFile = async (path: string, contents: string | Buffer): Promise<void> => {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), contents)
  }
  await writeTestFile('tree/a.txt', 'one')
  await writeTestFile('tree/a/x', 'x')
  await writeTestFile('tree/b/Z', 'Z')
  await writeTestFile('tree/.pulumi/n', 'no')
  await writeTestFile('tree/b/.pulumi/m', 'no')
  await symlink('../a', join(folder, 'tree/b/link'))
  await symlink('../a.txt', join(folder, 'tree/b/file'))
  await writeTestFile('t.tgz', packed)
  await writeTestFile('bad.zip', 'no zip')
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  origin = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
})

afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

const createAsset = (source: NonNullable<Asset['source']>): Asset => ({
  kind: 'asset',
  hash: '',
  source,
})
const createArchive = (source: NonNullable<Archive['source']>): Archive => ({
  kind: 'archive',
  hash: '',
  source,
})
const hashOf = async (value: Asset | Archive): Promise<string> => {
  const reader = createAssetReader(folder)
  const hashed = await (value.kind === 'asset'
    ? hashAsset(value, reader)
    : hashArchive(value, reader))
  return hashed.hash
}
const hiHash = '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4'
/** The hashes that Pulumi's own archive package computes for the same files. */
const treeHash = '656e7c058b02a5d48cc45c95a764d04fde2cf47041e46e747494c3ab9a7e04b6'
const packedHash = 'b4913c08eba6fff86b8cc6f0c80bbc00e71610b3090a3286668c24f8c6cb2808'
const nestedHash = 'de9b390c2fcf53c56c065b6d67e8fe4faf84ae579e901d14ee67b9daa956ff84'

describe('hashes of assets', () => {
  test('are computed for texts, files and URLs', async () => {
    expect(await hashOf(createAsset({ text: '' }))).toBe(emptyAssetHash)
    expect(await hashOf(createAsset({ text: 'hi' }))).toBe(hiHash)
    expect(await hashOf(createAsset({ uri: `${origin}/hi` }))).toBe(hiHash)
    const one = await hashOf(createAsset({ path: 'tree/a.txt' }))
    expect(await hashOf(createAsset({ path: join(folder, 'tree/a.txt') }))).toBe(one)
    expect(await hashOf(createAsset({ uri: pathToFileURL(join(folder, 'tree/a.txt')).href }))).toBe(
      one,
    )
  })

  test("equal Pulumi's for archives: a folder, an archive file, and both inside named assets", async () => {
    const tree = createArchive({ path: 'tree' })
    const file = createArchive({ path: 't.tgz' })
    expect(await hashOf(createArchive({ assets: new Map() }))).toBe(emptyArchiveHash)
    expect(await hashOf(tree)).toBe(treeHash)
    expect(await hashOf(file)).toBe(packedHash)
    expect(await hashOf(createArchive({ uri: `${origin}/t.tgz?v=1` }))).toBe(packedHash)
    const text = createAsset({ text: 'hi' })
    const nested = new Map<string, Asset | Archive>([
      ['ü', text],
      ['k/a.txt', text],
      ['k', file],
      ['dir', tree],
      ['b//c', createAsset({ text: '' })],
    ])
    expect(await hashOf(createArchive({ assets: nested }))).toBe(nestedHash)
  })

  test('are added wherever an asset occurs, and a map without assets is returned unchanged', async () => {
    const reader = createAssetReader(folder)
    const plain: PropertyMap = new Map([['a', [secretOf('x')]]])
    expect(await hashAssets(plain, reader)).toBe(plain)
    const map: PropertyMap = new Map([['a', [secretOf(createAsset({ text: 'hi' }))]]])
    expect(await hashAssets(map, reader)).toEqual(
      new Map([['a', [secretOf({ ...createAsset({ text: 'hi' }), hash: hiHash })]]]),
    )
  })

  test('are added to the named members of an archive, at any depth', async () => {
    const reader = createAssetReader(folder)
    const inner = createArchive({ assets: new Map([['hi', createAsset({ text: 'hi' })]]) })
    const outer = createArchive({
      assets: new Map<string, Asset | Archive>([
        ['tree', createArchive({ path: 'tree' })],
        ['in', inner],
      ]),
    })
    const hashed = { ...createAsset({ text: 'hi' }), hash: hiHash }
    const whole = {
      ...outer,
      hash: await hashOf(outer),
      source: {
        assets: new Map<string, Asset | Archive>([
          ['tree', { ...createArchive({ path: 'tree' }), hash: treeHash }],
          [
            'in',
            {
              ...inner,
              hash: await hashOf(inner),
              source: { assets: new Map([['hi', hashed]]) },
            },
          ],
        ]),
      },
    }
    expect(await hashArchive(outer, reader)).toEqual(whole)
    // An archive with a known hash still gets the hashes of its members, as in Pulumi.
    expect(await hashArchive({ ...outer, hash: 'known' }, reader)).toEqual({
      ...whole,
      hash: 'known',
    })
  })

  test.each<[string, () => Asset | Archive]>([
    ['a folder as an asset', () => createAsset({ path: 'tree' })],
    ['a file that is not there', () => createAsset({ path: 'gone' })],
    ['an address that is not there', () => createAsset({ uri: `${origin}/gone` })],
    ['an address with an unsupported scheme', () => createAsset({ uri: 'ftp://x/y' })],
    ['a file that is no archive', () => createArchive({ path: 'tree/a.txt' })],
    ['an address that is no archive', () => createArchive({ uri: `${origin}/hi` })],
    [
      'a damaged archive',
      () => createArchive({ assets: new Map([['a', createArchive({ path: 'bad.zip' })]]) }),
    ],
  ])('cannot be computed for %s', async (_name, value) => {
    await expect(hashOf(value())).rejects.toThrow(
      expect.objectContaining({ code: 'RESOURCE_INVALID' }),
    )
  })

  test('are not computed for files and downloads above the size limit', async () => {
    const reader = createAssetReader(folder, 2)
    for (const source of [{ path: 'tree/a.txt' }, { uri: `${origin}/t.tgz?v=1` }])
      await expect(hashAsset(createAsset(source), reader)).rejects.toThrow('more than 2 bytes')
  })
})
