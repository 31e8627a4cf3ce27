import * as pulumi from '@pulumi/pulumi'

/** What a file in the bucket is made from. Paths are relative, so that the state fits any machine. */
export interface FileArgs {
  readonly path: pulumi.Input<string>
  readonly content: pulumi.Input<string>
}

interface FileInputs {
  readonly path: string
  readonly content: string
}

interface FileState extends FileInputs {
  readonly hash: string
  readonly bytes: number
}

/**
 * Makes, changes, reads and deletes one file below `site/`. Everything that a dynamic provider uses is
 * loaded inside its functions: they travel to the provider's process as text.
 */
const provider: pulumi.dynamic.ResourceProvider<FileInputs, FileState> = {
  async check(_olds, news) {
    const failures: pulumi.dynamic.CheckFailure[] = []
    if (news.path.startsWith('/') || news.path.split('/').includes('..'))
      failures.push({ property: 'path', reason: 'must stay inside the bucket' })
    return { inputs: { path: news.path, content: news.content }, failures }
  },
  async diff(_id, olds, news) {
    const changes = olds.content !== news.content || olds.path !== news.path
    return {
      changes,
      replaces: olds.path === news.path ? [] : ['path'],
      deleteBeforeReplace: false,
    }
  },
  async create(inputs) {
    return { id: inputs.path, outs: await write(inputs) }
  },
  async update(_id, _olds, news) {
    return { outs: await write(news) }
  },
  async read(id, props) {
    const fs = await import('node:fs/promises')
    const text = await fs.readFile(`site/${id}`, 'utf8').catch(() => undefined)
    if (text === undefined) return {}
    const { createHash } = await import('node:crypto')
    const hash = createHash('sha256').update(text).digest('hex')
    return {
      id,
      props: {
        ...props,
        path: id,
        content: text,
        hash,
        bytes: Buffer.byteLength(text),
      } as FileState,
    }
  },
  async delete(id) {
    const fs = await import('node:fs/promises')
    await fs.rm(`site/${id}`, { force: true })
  },
}

async function write(inputs: FileInputs): Promise<FileState> {
  const fs = await import('node:fs/promises')
  const { dirname } = await import('node:path')
  const { createHash } = await import('node:crypto')
  const file = `site/${inputs.path}`
  await fs.mkdir(dirname(file), { recursive: true })
  await fs.writeFile(file, inputs.content)
  const hash = createHash('sha256').update(inputs.content).digest('hex')
  return {
    path: inputs.path,
    content: inputs.content,
    hash,
    bytes: Buffer.byteLength(inputs.content),
  }
}

/** A file in the bucket. */
export class BucketFile extends pulumi.dynamic.Resource {
  declare readonly path: pulumi.Output<string>
  declare readonly hash: pulumi.Output<string>
  declare readonly bytes: pulumi.Output<number>

  constructor(name: string, args: FileArgs, options?: pulumi.CustomResourceOptions) {
    super(
      provider,
      name,
      { ...args, hash: undefined, bytes: undefined },
      options,
      'quickstart',
      'BucketFile',
    )
  }
}
