export type Picture = { name: string; file: string; width: string; colour: string; language: string }

/** One page with all pictures, by subject. Its boxes leave out a width, a colour or a language. */
export function sheetOf(pictures: readonly Picture[], missing: readonly string[]): string {
  const kinds = ['width', 'colour', 'language'] as const
  const values = kinds.flatMap((kind) =>
    [...new Set(pictures.map((picture) => picture[kind]))].map((value) => ({ kind, value })),
  )
  const hidden = values.map(({ kind, value }) => `body:has(#v${value}:not(:checked)) [data-${kind}="${value}"]`)
  const boxes = values.map(({ value }) => `<label><input type="checkbox" id="v${value}" checked> ${value}</label>`)
  const groups = Map.groupBy(pictures, ({ name }) => name)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Pages of Doorcode</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 0 24px 48px; background: #f1f3f5; color: #212529 }
header { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 12px 0; background: inherit }
h2 { font-size: 16px; margin: 24px 0 8px }
section div { display: flex; flex-wrap: wrap; gap: 12px }
figure { margin: 0; font-size: 12px }
figure img { display: block; height: 340px; max-width: 560px; object-fit: cover; object-position: top; background: #fff; border: 1px solid #ced4da; border-radius: 6px }
figure[data-colour="dark"] img { border-color: #495057 }
${hidden.join(', ')} { display: none }
</style>
<header>${boxes.join('\n')}</header>
${missing.length > 0 ? `<h2>Missing</h2><ul>${missing.map((each) => `<li>${escaped(each)}</li>`).join('')}</ul>` : ''}
<nav>${[...groups.keys()].map((name) => `<a href="#${idOf(name)}">${escaped(name)}</a>`).join(' · ')}</nav>
${[...groups].map(([name, all]) => `<section id="${idOf(name)}"><h2>${escaped(name)}</h2><div>${all.map(figureOf).join('\n')}</div></section>`).join('\n')}
</html>
`
}

const figureOf = ({ file, width, colour, language }: Picture): string =>
  `<figure data-width="${width}" data-colour="${colour}" data-language="${language}"><a href="${file}"><img src="${file}" alt="" loading="lazy"></a><figcaption>${width} px · ${colour} · ${language}</figcaption></figure>`

const idOf = (name: string): string => name.replaceAll(/[^\w-]+/g, '-')

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
