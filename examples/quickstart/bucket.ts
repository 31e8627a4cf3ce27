import * as pulumi from '@pulumi/pulumi'

/**
 * The path of a file in the bucket, and its content. Paths are relative, so that the state is valid
 * on any machine.
 */
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
 * The provider, which creates, updates, reads and deletes files in the folder `site`. Pulumi sends
 * these functions as text to the process of the provider, so they import Node's modules themselves.
 */
const provider: pulumi.dynamic.ResourceProvider<FileInputs, FileState> = {
  async check(_olds, { path, content }) {
    const isInside = !path.startsWith('/') && !path.split('/').includes('..')
    const failures = isInside ? [] : [{ property: 'path', reason: 'must stay inside the bucket' }]
    return { inputs: { path, content }, failures }
  },
  async diff(_id, olds, news) {
    const replaces = olds.path === news.path ? [] : ['path']
    return { changes: replaces.length > 0 || olds.content !== news.content, replaces }
  },
  async create(inputs) {
    return { id: inputs.path, outs: await publish(inputs) }
  },
  async update(_id, _olds, news) {
    return { outs: await publish(news) }
  },
  async read(id, props) {
    const { readFile } = await import('node:fs/promises')
    try {
      const content = await readFile(`site/${id}`, 'utf8')
      return { id, props: { ...props, ...(await toFileState({ path: id, content })) } }
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw thrown
    }
  },
  async delete(id) {
    const { rm, rmdir } = await import('node:fs/promises')
    const { dirname } = await import('node:path')
    await rm(`site/${id}`, { force: true })
    // Like a bucket, the folder `site` has no empty folders.
    for (let folder = dirname(`site/${id}`); folder !== '.'; folder = dirname(folder))
      await rmdir(folder).catch(() => undefined)
  },
}

/** Writes a file. Retries if the delete of another file has removed the empty folder meanwhile. */
async function publish(inputs: FileInputs): Promise<FileState> {
  const { mkdir, writeFile } = await import('node:fs/promises')
  const { dirname } = await import('node:path')
  const file = `site/${inputs.path}`
  for (let remainingRetries = 5; ; remainingRetries--) {
    await mkdir(dirname(file), { recursive: true })
    try {
      await writeFile(file, inputs.content)
      return toFileState(inputs)
    } catch (thrown) {
      if (remainingRetries === 0 || (thrown as NodeJS.ErrnoException).code !== 'ENOENT')
        throw thrown
    }
  }
}

async function toFileState({ path, content }: FileInputs): Promise<FileState> {
  const { createHash } = await import('node:crypto')
  const hash = createHash('sha256').update(content).digest('hex')
  return { path, content, hash, bytes: Buffer.byteLength(content) }
}

/** A file in the bucket. */
export class BucketFile extends pulumi.dynamic.Resource {
  declare readonly path: pulumi.Output<string>
  declare readonly content: pulumi.Output<string>
  declare readonly hash: pulumi.Output<string>
  declare readonly bytes: pulumi.Output<number>

  constructor(name: string, args: FileArgs, options?: pulumi.CustomResourceOptions) {
    // The provider computes the properties that are undefined here.
    const props = { ...args, hash: undefined, bytes: undefined }
    super(provider, name, props, options, 'quickstart', 'BucketFile')
  }
}
