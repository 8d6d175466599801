import { makePasswordLink } from '../admin/actions/people.ts'
import { linkUrl } from '../admin/auth/links.ts'
import { type ListedPerson, findPersonByEmail, listPeople } from '../admin/auth/person.ts'
import { command, notFound } from './command.ts'
import { argument, email, flag } from './inputs.ts'

const personList = command({
  words: 'person list',
  example: '',
  summary: 'List the people who can sign in to the dashboard.',
  run: async ({ db }) => ({ people: await listPeople(db) }),
  format: ({ people }) =>
    people.map(formatLine).join('\n') || 'No one can sign in yet: "serve" prints a link for the first owner.',
})

function formatLine({ email, name, operator, workspaces, twoFactor }: ListedPerson): string {
  const role = operator ? 'runs the instance' : workspaces === 1 ? 'in 1 workspace' : `in ${workspaces} workspaces`
  return `${email}  ${name}  ${role}  ${twoFactor ? 'with' : 'without'} a second factor`
}

const personLink = command({
  words: 'person link',
  example: 'ana@shop.example --drop-second-factor',
  summary: 'Create a link that lets a person set a new password. It works once and is valid for a day.',
  options: {
    email: argument(email('The email address that the person signs in with.')),
    dropSecondFactor: flag('The link also turns off their second factor.'),
  },
  async run(operator, { email, dropSecondFactor: endsSecondFactor }) {
    const person = await findPersonByEmail(operator.db, email)
    if (!person) throw notFound(`No person signs in as ${email}. “doorcode person list” shows who can sign in.`)
    const { token, expiresAt } = await makePasswordLink(operator, { email: person.email, endsSecondFactor })
    return { email: person.email, link: linkUrl(operator.config.publicUrl, token), expiresAt: expiresAt.toISOString() }
  },
  format: ({ email, link, expiresAt }) =>
    `${email} can use this link once, until ${expiresAt}, to set a new password. Using it ends all their sessions:\n${link}`,
})

export const personCommands = [personList, personLink]
