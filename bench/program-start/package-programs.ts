/** A TypeScript program of ten resources, and the package of the registry that it uses. */
export interface PackageProgram {
  readonly name: string
  readonly version: string
  /** The name of the provider: `pulumi-resource-<provider>`. */
  readonly provider: string
  readonly source: string
}

/** The programs import their package in the way of Pulumi's own templates. */
export const packagePrograms: readonly PackageProgram[] = [
  {
    ...{ name: '@pulumi/aws', version: '7.48.0', provider: 'aws' },
    source: `import * as aws from '@pulumi/aws'
const names = ['a', 'b', 'c', 'd', 'e']
const buckets = names.map(name => new aws.s3.Bucket(name, { tags: { name } }))
export const parameters = buckets.map(
  (bucket, index) => new aws.ssm.Parameter(\`p\${index}\`, { type: 'String', value: bucket.id }).name,
)
`,
  },
  {
    ...{ name: '@pulumi/kubernetes', version: '4.34.2', provider: 'kubernetes' },
    source: `import * as k8s from '@pulumi/kubernetes'
const names = ['a', 'b', 'c', 'd', 'e']
export const services = names.map(app => {
  const deployment = new k8s.apps.v1.Deployment(app, {
    spec: {
      selector: { matchLabels: { app } },
      replicas: 1,
      template: {
        metadata: { labels: { app } },
        spec: { containers: [{ name: app, image: 'nginx' }] },
      },
    },
  })
  const selector = deployment.spec.template.metadata.labels
  return new k8s.core.v1.Service(app, { spec: { selector, ports: [{ port: 80 }] } }).metadata.name
})
`,
  },
  {
    ...{ name: '@pulumi/azure-native', version: '3.28.0', provider: 'azure-native' },
    source: `import * as resources from '@pulumi/azure-native/resources'
import * as storage from '@pulumi/azure-native/storage'
const groups = ['a', 'b', 'c', 'd', 'e'].map(name => new resources.ResourceGroup(name))
export const accounts = groups.map(
  (group, index) =>
    new storage.StorageAccount(\`s\${index}\`, {
      resourceGroupName: group.name,
      sku: { name: storage.SkuName.Standard_LRS },
      kind: storage.Kind.StorageV2,
    }).name,
)
`,
  },
]

/** The versions of the other packages of each program, besides the SDK. */
const commonPackages = { '@types/node': '24.19.2', typescript: '5.9.3' }

/** Returns the files of a program: texts by name. ts-node, which the SDK contains, compiles it. */
export function listProgramFiles(
  program: PackageProgram,
  sdkVersion: string,
): Readonly<Record<string, string>> {
  const dependencies = {
    '@pulumi/pulumi': sdkVersion,
    ...commonPackages,
    [program.name]: program.version,
  }
  const compilerOptions = {
    ...{ strict: true, target: 'es2020', module: 'commonjs', moduleResolution: 'node' },
  }
  return {
    'Pulumi.yaml': 'name: bench\nruntime: nodejs\n',
    'package.json': JSON.stringify({ private: true, dependencies }),
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['index.ts'] }),
    'index.ts': program.source,
  }
}
