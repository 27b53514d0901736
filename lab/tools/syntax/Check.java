import com.sun.source.util.JavacTask;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Counts the errors that javac's parser finds. Reads one text in Base64 per line, and prints one number for each. Run
 * it with `java Check.java`.
 */
class Check {
  public static void main(String[] arguments) throws IOException {
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = lines.readLine()) != null; ) {
      System.out.println(errors(new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8)));
    }
  }

  private static long errors(String text) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    var found = new DiagnosticCollector<JavaFileObject>();
    var source =
        new SimpleJavaFileObject(URI.create("string:///Checked.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoresEncodingErrors) {
            return text;
          }
        };
    ((JavacTask) compiler.getTask(null, null, found, null, null, List.of(source))).parse();
    return found.getDiagnostics().stream().filter(each -> each.getKind() == Diagnostic.Kind.ERROR).count();
  }
}
