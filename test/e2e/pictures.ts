/** The stack that the pictures of the documentation show, and the files of the pictures. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { isTruthy } from '../../shared/config/truthy.ts'
import { requireSuccess, type Sandbox } from './sandbox.ts'

const picturesFolder = resolve(import.meta.dirname, '../../docs/pictures')
/** Maximum size of a picture, so that README loads fast. */
export const pictureBytesMax = 200_000
/** The space below the last element of a picture. */
const marginPx = 20

/** A shop with a network, a database and three services. */
const shopProgram = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing, Other } = require('./gold')

class Part extends pulumi.ComponentResource {
  constructor(name, options) {
    super('shop:index:Part', name, {}, options)
  }
}

const network = new Part('network')
const vpc = new Thing('vpc', { cidr: '10.0.0.0/16' }, { parent: network })
const subnets = ['a', 'b', 'c'].map(
  zone => new Other(\`subnet-\${zone}\`, { zone }, { parent: network, dependsOn: vpc }),
)
const data = new Part('data')
const database = new Thing('database', { password: pulumi.secret('p') }, { parent: data, dependsOn: subnets })
const bucket = new Other('uploads', { versioned: true }, { parent: data })
for (const name of ['catalogue', 'orders', 'payments']) {
  const service = new Part(name)
  const role = new Other(\`\${name}-role\`, {}, { parent: service, dependsOn: bucket })
  const task = new Thing(\`\${name}-task\`, {}, { parent: service, dependsOn: [role, database] })
  new Other(\`\${name}-route\`, {}, { parent: service, dependsOn: [task, subnets[0]] })
}
exports.address = 'https://shop.example.com/'
`

/** Deploys the stack `shop/prod` beside the program of a sandbox, into its store. */
export async function deployShop(sandbox: Sandbox): Promise<void> {
  const folder = join(sandbox.program, '../shop')
  mkdirSync(folder)
  writeFileSync(join(folder, 'Pulumi.yaml'), 'name: shop\nruntime: nodejs\n')
  writeFileSync(join(folder, 'index.js'), shopProgram)
  cpSync(join(sandbox.program, 'gold.js'), join(folder, 'gold.js'))
  symlinkSync(join(sandbox.program, 'node_modules'), join(folder, 'node_modules'))
  const inFolder = ['-C', folder]
  requireSuccess(await sandbox.run([...inFolder, 'stack', 'init', 'prod']))
  requireSuccess(await sandbox.run([...inFolder, 'up', '--yes', '--skip-preview']))
}

/**
 * Takes a picture of a page from its top down to an element, and returns its size in bytes. With
 * ANTICHAIN_PICTURES=1 it also replaces the picture of this name in the documentation.
 */
export async function takePicture(page: Page, name: string, last: Locator): Promise<number> {
  const box = await last.boundingBox()
  const width = page.viewportSize()?.width ?? 0
  const height = (box?.y ?? 0) + (box?.height ?? 0) + marginPx
  const picture = await page.screenshot({ type: 'png', clip: { x: 0, y: 0, width, height } })
  if (isTruthy(process.env['ANTICHAIN_PICTURES'])) {
    mkdirSync(picturesFolder, { recursive: true })
    writeFileSync(join(picturesFolder, name), picture)
  }
  return picture.byteLength
}
