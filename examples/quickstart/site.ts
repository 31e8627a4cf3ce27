import * as pulumi from '@pulumi/pulumi'
import { BucketFile } from './bucket'

/** A page, and where it lies in the bucket. */
export interface Article {
  readonly title: string
  readonly path: string
  readonly note: string
}

export interface SiteArgs {
  readonly title: string
  readonly articles: readonly Article[]
  /** Goes into the members' page, and is to be seen nowhere on its way there. */
  readonly token: pulumi.Input<string>
}

/** Articles and assets, an index over the articles, and a manifest over everything. */
export class Site extends pulumi.ComponentResource {
  readonly index: pulumi.Output<string>
  readonly pages: pulumi.Output<number>
  readonly files: pulumi.Output<number>
  readonly token: pulumi.Output<string>

  constructor(name: string, args: SiteArgs, options?: pulumi.ComponentResourceOptions) {
    super('quickstart:index:Site', name, {}, options)
    const file = (
      label: string,
      path: string,
      content: pulumi.Input<string>,
      more: pulumi.CustomResourceOptions = {},
    ): BucketFile =>
      new BucketFile(`${name}-${label}`, { path, content }, { parent: this, ...more })

    const style = file('style', 'assets/style.css', css)
    const script = file('script', 'assets/keys.js', js)
    const looks = pulumi.all([style.hash, script.hash]).apply(([css, js]) => head(css, js))
    const articles = args.articles.map(({ title, path, note }) =>
      file(title.toLowerCase(), path, pulumi.interpolate`${looks}${page(title, note)}`),
    )
    const index = file(
      'index',
      'index.html',
      pulumi.interpolate`${looks}${page(args.title, links(args.articles))}`,
      { dependsOn: articles },
    )
    const members = file(
      'members',
      'members.html',
      pulumi.interpolate`${looks}${page('Members', pulumi.interpolate`Say: ${args.token}`)}`,
      // What can be guessed from a hash is no secret.
      { additionalSecretOutputs: ['hash'] },
    )
    const open = [style, script, ...articles, index]
    const lines = pulumi.all(open.map(one => pulumi.interpolate`${one.hash}  ${one.path}\n`))
    const text = lines.apply(all => all.join(''))
    const manifest = file('manifest', 'manifest.txt', text, { dependsOn: [...open, members] })

    const pages = [...articles, index, members]
    this.index = index.path
    this.pages = pulumi.output(pages.length)
    this.files = pulumi.output([...open, members, manifest].length)
    this.token = pulumi.secret(args.token)
    const { files, token } = this
    this.registerOutputs({ index: this.index, pages: this.pages, files, token })
  }
}

/** What every page begins with. The hashes make browsers fetch what changed. */
function head(cssHash: string, jsHash: string): string {
  return [
    '<!doctype html>',
    `<link rel="stylesheet" href="/assets/style.css?${cssHash.slice(0, 8)}">`,
    `<script defer src="/assets/keys.js?${jsHash.slice(0, 8)}"></script>`,
    '',
  ].join('\n')
}

function page(title: string, body: pulumi.Input<string>): pulumi.Output<string> {
  return pulumi.interpolate`<title>${title}</title>\n<h1>${title}</h1>\n<p>${body}</p>\n`
}

function links(articles: readonly Article[]): string {
  return articles.map(({ title, path }) => `<a href="/${path}">${title}</a>`).join('\n')
}

const css = 'body { font: 1.1rem/1.6 serif; margin: 3rem auto; max-width: 36rem }\n'
const js = "addEventListener('keyup', ({ key }) => key === 'Home' && location.assign('/'))\n"
