import { postJson } from '../api/client'

export class LoginForm {
  private email = ''

  render(): HTMLFormElement {
    const form = document.createElement('form')
    form.addEventListener('submit', (event) => this.handleSubmit(event))
    return form
  }

  async handleSubmit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    await postJson('/login', { email: this.email })
  }
}
