import { createTextTemplate, type ProjectTemplate } from './project-template.ts'

/** The manifest of packs for Node. */
const manifest = {
  name: 'policy-pack',
  version: '0.0.1',
  private: true,
  dependencies: { '@pulumi/policy': '^1.20.0', '@pulumi/pulumi': '^3.260.0' },
}

/** The policies of packs for Node, which are the same in both languages. */
const nodePolicies = `new PolicyPack('policy-pack', {
  policies: [
    {
      name: 'name-length',
      description: 'Names of resources have at most 60 characters.',
      enforcementLevel: 'mandatory',
      validateResource: ({ name }, reportViolation) => {
        if (name.length > 60) reportViolation(\`the name '\${name}' is too long\`)
      },
    },
  ],
})
`

const javascript = new Map([
  ['PulumiPolicy.yaml', 'runtime: nodejs\nversion: 0.0.1\nmain: index.js\n'],
  ['package.json', `${JSON.stringify({ ...manifest, main: 'index.js' }, null, 2)}\n`],
  [
    'index.js',
    `'use strict'
const { PolicyPack } = require('@pulumi/policy')

${nodePolicies}`,
  ],
  ['.gitignore', 'node_modules/\n'],
])

const typescriptManifest = {
  ...manifest,
  main: 'index.ts',
  devDependencies: { '@types/node': '^24.0.0', typescript: '^5.9.0' },
}
const compilerOptions = {
  target: 'es2022',
  module: 'commonjs',
  moduleResolution: 'node',
  strict: true,
  outDir: 'bin',
  skipLibCheck: true,
}

const typescript = new Map([
  ['PulumiPolicy.yaml', 'runtime: nodejs\nversion: 0.0.1\n'],
  ['package.json', `${JSON.stringify(typescriptManifest, null, 2)}\n`],
  ['tsconfig.json', `${JSON.stringify({ compilerOptions, files: ['index.ts'] }, null, 2)}\n`],
  [
    'index.ts',
    `import { PolicyPack } from '@pulumi/policy'

${nodePolicies}`,
  ],
  ['.gitignore', 'node_modules/\nbin/\n'],
])

const python = new Map([
  [
    'PulumiPolicy.yaml',
    'runtime:\n  name: python\n  options:\n    virtualenv: venv\nversion: 0.0.1\n',
  ],
  ['requirements.txt', 'pulumi>=3.260.0,<4.0.0\npulumi-policy>=1.20.0,<2.0.0\n'],
  [
    '__main__.py',
    `from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy


def check_name(args, report_violation):
    if len(args.name) > 60:
        report_violation(f"the name '{args.name}' is too long")


PolicyPack(
    name="policy-pack",
    enforcement_level=EnforcementLevel.MANDATORY,
    policies=[
        ResourceValidationPolicy(
            name="name-length",
            description="Names of resources have at most 60 characters.",
            validate=check_name,
        ),
    ],
)
`,
  ],
  ['.gitignore', '*.pyc\nvenv/\n'],
])

/** The templates of policy packs in this package, sorted by name. */
export const policyTemplates: readonly ProjectTemplate[] = [
  createTextTemplate('javascript', 'A policy pack in JavaScript', javascript),
  createTextTemplate('python', 'A policy pack in Python', python),
  createTextTemplate('typescript', 'A policy pack in TypeScript', typescript),
]
