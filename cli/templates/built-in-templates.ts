import { createTextTemplate, type ProjectTemplate } from './project-template.ts'

/** The range of versions of Pulumi's SDK for Node that new programs use. */
const nodeSdk = '^3.260.0'

/** Returns the text of a project file. `runtime`: the YAML of its field `runtime`. */
function projectFileOf(runtime: string): string {
  return `name: \${PROJECT}
description: \${DESCRIPTION}
runtime: ${runtime}
template:
  config:
    greeting:
      description: A text that the program exports
      default: hello
`
}

function packageFileOf(
  main: string,
  devDependencies: Readonly<Record<string, string>>,
  dependencies: Readonly<Record<string, string>> = {},
): string {
  const manifest = {
    name: '${PROJECT}',
    private: true,
    main,
    dependencies: { '@pulumi/pulumi': nodeSdk, ...dependencies },
    devDependencies,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

const compilerOptions = {
  target: 'es2022',
  module: 'commonjs',
  moduleResolution: 'node',
  strict: true,
  outDir: 'bin',
  sourceMap: true,
  skipLibCheck: true,
}

const nodeIgnore = 'node_modules/\nbin/\n'

const typescript = new Map([
  ['Pulumi.yaml', projectFileOf('nodejs')],
  ['package.json', packageFileOf('index.ts', { '@types/node': '^24.0.0', typescript: '^5.9.0' })],
  ['tsconfig.json', `${JSON.stringify({ compilerOptions, files: ['index.ts'] }, null, 2)}\n`],
  [
    'index.ts',
    `import * as pulumi from '@pulumi/pulumi'

const config = new pulumi.Config()

export const greeting = config.require('greeting')
`,
  ],
  ['.gitignore', nodeIgnore],
])

const javascript = new Map([
  ['Pulumi.yaml', projectFileOf('nodejs')],
  ['package.json', packageFileOf('index.js', {})],
  [
    'index.js',
    `'use strict'
const pulumi = require('@pulumi/pulumi')

const config = new pulumi.Config()

exports.greeting = config.require('greeting')
`,
  ],
  ['.gitignore', nodeIgnore],
])

const python = new Map([
  [
    'Pulumi.yaml',
    projectFileOf('\n  name: python\n  options:\n    toolchain: pip\n    virtualenv: venv'),
  ],
  ['requirements.txt', 'pulumi>=3.260.0,<4.0.0\n'],
  [
    '__main__.py',
    `import pulumi

config = pulumi.Config()

pulumi.export("greeting", config.require("greeting"))
`,
  ],
  ['.gitignore', '*.pyc\nvenv/\n'],
])

const go = new Map([
  ['Pulumi.yaml', projectFileOf('go')],
  [
    'go.mod',
    'module ${PROJECT}\n\ngo 1.24.0\n\nrequire github.com/pulumi/pulumi/sdk/v3 v3.260.0\n',
  ],
  [
    'main.go',
    `package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		ctx.Export("greeting", pulumi.String(config.New(ctx, "").Require("greeting")))
		return nil
	})
}
`,
  ],
])

const yaml = new Map([
  [
    'Pulumi.yaml',
    `${projectFileOf('yaml')}config:
  greeting:
    type: string
outputs:
  greeting: \${greeting}
`,
  ],
])

const timeProviderVersion = '0.14.2'

const terraform = new Map([
  [
    'Pulumi.yaml',
    `${projectFileOf('nodejs')}packages:
  time:
    source: terraform-provider
    parameters: [hashicorp/time, ${timeProviderVersion}]
`,
  ],
  ['package.json', packageFileOf('index.js', {}, { '@pulumi/time': 'file:sdks/time' })],
  [
    'index.js',
    `'use strict'
const pulumi = require('@pulumi/pulumi')
const time = require('@pulumi/time')

const config = new pulumi.Config()
const week = new time.Offset('week', { offsetDays: 7 })

exports.greeting = config.require('greeting')
exports.week = week.rfc3339
`,
  ],
  ['.gitignore', nodeIgnore],
])

/** The templates of this package, sorted by name. */
export const builtInTemplates: readonly ProjectTemplate[] = [
  createTextTemplate('go', 'A minimal program in Go', go),
  createTextTemplate('javascript', 'A minimal program in JavaScript', javascript),
  createTextTemplate('python', 'A minimal program in Python', python),
  createTextTemplate('terraform', 'A program in JavaScript with a Terraform provider', terraform),
  createTextTemplate('typescript', 'A minimal program in TypeScript', typescript),
  createTextTemplate('yaml', 'A minimal program in YAML', yaml),
]
