/// The usual names of columns of logins, in the languages of password managers.
enum ColumnWords {
    /// Whether a name in lower case is usual. One of at most three words, such as `login name`, is if one of them is.
    static func isUsual(_ name: String) -> Bool {
        if names.contains(name) { return true }
        let words = name.split { " -_/()".contains($0) }
        return words.count <= 3 && words.contains { names.contains(String($0)) }
    }

    private static let names = Set(
        """
        name title account service site website url uri link address user username login email mail password pass pwd passwd \
        passcode passphrase secret value pin note notes comment comments totp otp folder group category type tags \
        titel bezeichnung konto dienst webseite website adresse benutzer benutzername anmeldename nutzername kennung passwort kennwort notiz \
        notizen bemerkung bemerkungen kommentar ordner gruppe kategorie typ \
        nom titre compte site adresse utilisateur identifiant courriel passe motdepasse remarque remarques commentaire dossier groupe catégorie \
        nombre título titulo cuenta servicio sitio dirección usuario correo contraseña clave nota notas comentario carpeta grupo categoría \
        nome titolo servizio sito indirizzo utente parola password posta commenti cartella gruppo categoria \
        conta serviço endereço usuário utilizador senha palavra-passe observações pasta \
        naam rekening gebruiker gebruikersnaam wachtwoord notitie notities opmerking map groep categorie \
        namn konto tjänst webbplats användare användarnamn lösenord anteckning anteckningar mapp grupp kategori \
        navn tjeneste nettsted bruker brugernavn brukernavn adgangskode passord notat noter mappe gruppe \
        nimi tili palvelu osoite käyttäjä käyttäjätunnus käyttäjänimi salasana muistiinpanot kansio ryhmä \
        nazwa tytuł usługa strona użytkownik hasło notatka notatki uwagi grupa kategoria \
        název jméno účet služba stránka uživatel heslo poznámka poznámky složka skupina kategorie názov používateľ \
        név cím fiók felhasználó felhasználónév jelszó megjegyzés jegyzet mappa csoport \
        ad başlık hesap kullanıcı şifre parola not notlar klasör \
        nume titlu cont utilizator parolă parola notițe dosar \
        όνομα τίτλος λογαριασμός χρήστης κωδικός σημειώσεις \
        имя название заголовок аккаунт сервис сайт адрес ссылка пользователь логин почта пароль заметка заметки примечание комментарий папка группа \
        ім'я ім’я імʼя імя назва заголовок обліковий сервіс сайт адреса посилання користувач логін пошта пароль нотатка нотатки примітка примітки \
        коментар тека папка група категорія мітки теги \
        名称 标题 账户 账号 帐号 网站 网址 用户名 用户 密码 备注 名稱 標題 帳號 網站 網址 使用者 使用者名稱 密碼 備註 \
        名前 タイトル アカウント サイト ユーザー名 ユーザー パスワード メモ 이름 제목 계정 사이트 사용자 비밀번호 메모
        """.split(separator: " ").map { String($0) })
}
