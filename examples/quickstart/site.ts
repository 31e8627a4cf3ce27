import * as pulumi from '@pulumi/pulumi'
import { BucketFile } from './bucket'

export interface SiteArgs {
  readonly title: string
  readonly pages: number
  /** Goes into a page, and must not be seen anywhere on the way there. */
  readonly accessToken: pulumi.Input<string>
}

const subjects = [
  'Tides',
  'Lanterns',
  'Ferries',
  'Orchards',
  'Signals',
  'Clouds',
  'Bridges',
  'Kites',
]

/** Pages and assets with an index over them and a manifest over everything. */
export class Site extends pulumi.ComponentResource {
  readonly index: pulumi.Output<string>
  readonly files: pulumi.Output<number>
  readonly bytes: pulumi.Output<number>

  constructor(name: string, args: SiteArgs, options?: pulumi.ComponentResourceOptions) {
    super('quickstart:index:Site', name, {}, options)
    const below = { parent: this }
    const style = new BucketFile(`${name}-style`, { path: 'assets/style.css', content: css }, below)
    const script = new BucketFile(`${name}-script`, { path: 'assets/menu.js', content: js }, below)
    const pages = Array.from({ length: args.pages }, (_, at) => {
      const subject = subjects[at % subjects.length]
      const title = `${subject}, part ${Math.floor(at / subjects.length) + 1}`
      const content = style.hash.apply(hash =>
        page(title, hash, `<p>Notes on ${subject?.toLowerCase()}.</p>`),
      )
      return new BucketFile(
        `${name}-page-${at + 1}`,
        { path: `pages/${at + 1}.html`, content },
        below,
      )
    })
    const links = pulumi.all(pages.map(({ path }) => path))
    const index = new BucketFile(
      `${name}-index`,
      {
        path: 'index.html',
        content: pulumi
          .all([links, style.hash])
          .apply(([paths, hash]) => page(args.title, hash, list(paths))),
      },
      { ...below, dependsOn: pages },
    )
    const members = new BucketFile(
      `${name}-members`,
      {
        path: 'members.html',
        content: pulumi.interpolate`<p>Members' feed: ${args.accessToken}</p>`,
      },
      below,
    )
    const all = [style, script, ...pages, index, members]
    const entries = pulumi.all(all.map(file => pulumi.all([file.path, file.hash])))
    new BucketFile(
      `${name}-manifest`,
      {
        path: 'manifest.txt',
        content: entries.apply(lines => lines.map(line => line.join(' ')).join('\n')),
      },
      { ...below, dependsOn: all },
    )
    this.index = index.path
    this.files = pulumi.output(all.length + 1)
    this.bytes = pulumi
      .all(all.map(file => file.bytes))
      .apply(sizes => sizes.reduce((sum, size) => sum + size, 0))
    this.registerOutputs({ index: this.index, files: this.files, bytes: this.bytes })
  }
}

function page(title: string, styleHash: string, body: string): string {
  const style = `/assets/style.css?${styleHash.slice(0, 8)}`
  return `<!doctype html>\n<title>${title}</title>\n<link rel="stylesheet" href="${style}">\n<h1>${title}</h1>\n${body}\n`
}

function list(paths: readonly string[]): string {
  return `<ul>\n${paths.map(path => `<li><a href="${path}">${path}</a></li>`).join('\n')}\n</ul>`
}

const css = 'body { font: 1rem/1.5 serif; margin: 3rem auto; max-width: 40rem }\n'
const js = "document.documentElement.classList.add('ready')\n"
